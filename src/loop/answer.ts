// A model's answer as the loop takes it: checked, plain JSON, frozen. The same for a fresh one and one out of a journal.
// The trap: a model may be anybody's code, so nothing of its answer is used before it was read here, and nothing it throws is trusted.
import { type CompletionEvent } from '../conversation/events.js'
import { createFolder, fold, withPartial } from '../conversation/fold.js'
import { freeze, isFrozen } from '../conversation/freeze.js'
import type { Loss } from '../conversation/losses.js'
import type { CompletionResponse, FinishReason, Metadata } from '../conversation/response.js'
import { decodeMessage } from '../conversation/stored.js'
import { fieldsAt, isArgumentText, jsonAt, oneOf, startReading } from '../conversation/stored-fields.js'
import { unfold } from '../conversation/unfold.js'
import type { Usage } from '../conversation/usage.js'
import { ToolwireError } from '../errors/error.js'
import { isJsonObject } from '../json/parse.js'
import type { CompletionStream, Model } from '../model/model.js'
import { foreignMessage } from '../tools/failure.js'

const finishReasons: readonly FinishReason[] = ['stop', 'tool_calls', 'length', 'content_filter', 'pause', 'error']
