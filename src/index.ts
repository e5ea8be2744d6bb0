// The public list of the root door. Every name is exported one by one and pinned by test/package.
export { Conversation } from './conversation/conversation.js'
export { ConversationManager } from './conversation/conversation-manager.js'
export type { CompletionEvent } from './conversation/events.js'
export { fold, partialOf } from './conversation/fold.js'
export { type GrowingCall, type GrowingCalls, growingCalls } from './conversation/growing-calls.js'
export { applyLosses, type Loss, type LossKind } from './conversation/losses.js'
export {
  type AnyCall,
  type AssistantMessage,
  type AssistantPart,
  type BrokenCall,
  type BrokenReason,
  type Extra,
  type FilePart,
  type ImagePart,
  type Message,
  type Opaque,
  type OpaquePart,
  type Origin,
  type ReasoningPart,
  type ResultPart,
  type SystemMessage,
  type TextPart,
  type ToolCall,
  type ToolErrorCategory,
  type ToolFailure,
  type ToolMessage,
  type ToolResult,
  toolErrorCategories,
  type UserMessage,
  type UserPart,
  type Wire,
  wires,
} from './conversation/messages.js'
export type {
  CompletionRequest,
  OpaqueTool,
  OutputSpec,
  ReasoningSpec,
  ToolChoice,
  ToolSpec,
} from './conversation/request.js'
export type { RequestLimits } from './conversation/request-limits.js'
export type { CompletionResponse, FinishReason, Metadata } from './conversation/response.js'
export { ToolExecutionError } from './conversation/tool-error.js'
export { addUsage, type Usage } from './conversation/usage.js'
export { type ErrorCode, errorCodes, ToolwireError } from './errors/error.js'
export { type Body, bodyBytes } from './frames/body.js'
export { type Generate, type GenerateStream, generate } from './generate/generate.js'
export type { GenerateOptions } from './generate/options.js'
export { type Rung, rungs } from './generate/plan.js'
export type { GenerateEvent, GenerateResult, Repair } from './generate/result.js'
export type { Json, JsonObject, Value, ValueObject } from './json/types.js'
export type { Journal, JournalStore, OpenJournal } from './loop/journal.js'
export { memoryJournal } from './loop/memory-journal.js'
export type { RunOptions, Turn } from './loop/options.js'
export type { RunEvent, RunResult } from './loop/result.js'
export { type Run, type RunStream, run } from './loop/run.js'
export type { ApprovalAnswer, Approvals, PendingCall, RunState } from './loop/state.js'
export type { Stop, StopDetail, StopReason } from './loop/stop.js'
export { continueWithToolResults } from './model/continue.js'
export type { ModelOptions } from './model/endpoint.js'
export {
  anthropic,
  type CompatibleOptions,
  compatible,
  gemini,
  local,
  type ModelFactory,
  ollama,
  openai,
  openaiResponses,
  xai,
} from './model/factories.js'
export { type FallbackOptions, fallback } from './model/fallback.js'
export { type ListingOptions, listModels } from './model/listing.js'
export type { CallOptions, Capabilities, CompletionStream, Model, ModelRequest, Support } from './model/model.js'
export { type Finding, type Probe, type ProbeOptions, probe } from './model/probe.js'
export type { Feature, Verdict } from './model/probe-questions.js'
export type { Retry } from './model/sending.js'
export { bundleSchema } from './schema/bundle.js'
export type { Checked, Issue } from './schema/issue.js'
export { type DialectName, dialectNames } from './schema/restrict/dialects.js'
export { type Restricted, restrict } from './schema/restrict/restrict.js'
export { type Mapping, mapBack, mapForward } from './schema/restrict/value-map.js'
export type {
  Adapter,
  Demo,
  FieldDelta,
  FieldReader,
  FormatContext,
  Parsed,
  Plan,
  TextAdapter,
  ToolMode,
} from './signature/adapter.js'
export { chatAdapter } from './signature/chat-adapter.js'
export type { Field, FieldType, SignatureData } from './signature/field.js'
export type { CallValue, HistoryTurn, HistoryValue, ToolsValue, ToolValue } from './signature/infer.js'
export { jsonAdapter } from './signature/json-adapter.js'
export type { CallOptions as ModuleCallOptions, ModuleOptions } from './signature/module-call.js'
export { chainOfThought, type Program, predict } from './signature/predict.js'
export type { AnswerOf, CallsResult, FieldEvent, OutputRetry, Prediction } from './signature/prediction.js'
export { type Agent, react } from './signature/react.js'
export type {
  ReactCallOptions,
  ReactEvent,
  ReactFailure,
  ReactOptions,
  ReactResult,
  ReactStop,
} from './signature/react-result.js'
export { loadProgram, saveProgram } from './signature/saved-program.js'
export { configure, type SignatureSettings } from './signature/settings.js'
export { type Signature, type SignatureBuilder, signature } from './signature/signature.js'
export { exportTrace, type Trace } from './signature/trace.js'
export type { ArgumentLimits } from './tools/arguments.js'
export { argsOf, decodeArguments } from './tools/arguments.js'
export type { Around, CallOutcome } from './tools/around.js'
export type { AuditRecord } from './tools/audit.js'
export { tool } from './tools/define.js'
export { executeToolCalls, ToolExecutor } from './tools/execute.js'
export type { ExecuteOptions } from './tools/executor-options.js'
export { importTool } from './tools/import-tool.js'
export { type Param, type ParamOptions, params } from './tools/params.js'
export type { Approval, Approve, CapabilityPolicy } from './tools/policy.js'
export { type Drift, type RegistryOptions, ToolRegistry, type ToolSource } from './tools/registry.js'
export { repairArguments } from './tools/repair.js'
export { toolResult, toolResults } from './tools/results.js'
export {
  type AnyTool,
  type RateLimit,
  type Tool,
  type ToolCapability,
  type ToolContext,
  type ToolProgress,
  toolCapabilities,
} from './tools/tool.js'
export type { Transport, TransportRequest, TransportResponse } from './transport/transport.js'
export type { AnthropicProfile } from './wire/anthropic/profiles.js'
export type {
  Codec,
  DecodedRequest,
  EncodedRequest,
  EncodedResponse,
  Env,
  Exchange,
  HttpRequest,
  HttpResponse,
  Profile,
  StreamDecoder,
  StreamEncoder,
} from './wire/codec.js'
export type { ListedModel } from './wire/directory.js'
export type { GeminiProfile } from './wire/gemini/profiles.js'
export { codecs, profileOf } from './wire/index.js'
export type { ChatProfile } from './wire/openai-chat/profiles.js'
export type { ResponsesProfile } from './wire/openai-responses/profiles.js'
