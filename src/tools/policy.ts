// Who may run what. Trap: everything here fails closed; an answer that is not understood is a refusal.
import type { ToolCall } from '../conversation/messages.js'
import { ToolwireError } from '../errors/error.js'
import { type AnyTool, type ToolCapability, toolCapabilities } from './tool.js'

const policyAnswers = ['allow', 'deny', 'ask'] as const
export type PolicyAnswer = (typeof policyAnswers)[number]
/**
 * What a tool that declares a capability may do. A capability that is not named here is allowed to the program's own tools
 * (`source` is `local`) and asked about for imported ones.
 */
export type CapabilityPolicy = { readonly [C in ToolCapability]?: PolicyAnswer | undefined }

/** `pause` leaves the call unanswered until somebody decides. */
export type Approval = 'allow' | 'pause' | { readonly deny: string }
export interface ApprovalContext {
  /** The capabilities the policy wants asked about; empty when the call needs no approval by the policy. */
  readonly asked: readonly ToolCapability[]
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}
/**
 * Asked about every call that is complete, valid and not denied by the policy, side by side for the calls of one turn.
 * Sees the call exactly as it will run. A throw or an unknown answer denies.
 */
export type Approve = (call: ToolCall, tool: AnyTool, context: ApprovalContext) => Approval | Promise<Approval>

export type Verdict =
  | { readonly state: 'allow' }
  | { readonly state: 'ask'; readonly asked: readonly ToolCapability[] }
  | { readonly state: 'deny'; readonly reason: string }

/** The strictest answer over the capabilities a tool declares; one that is not known is refused. */
export function judge(tool: AnyTool, policy: CapabilityPolicy): Verdict {
  const asked: ToolCapability[] = []
  for (const capability of tool.capabilities) {
    if (!toolCapabilities.includes(capability)) {
      const known = toolCapabilities.join(', ')
      return { state: 'deny', reason: `it declares the unknown capability "${String(capability)}" (known: ${known})` }
    }
    const answer = policy[capability] ?? (tool.source === 'local' ? 'allow' : 'ask')
    if (answer === 'deny') return { state: 'deny', reason: `the policy denies the capability "${capability}"` }
    if (answer !== 'allow') asked.push(capability)
  }
  return asked.length === 0 ? { state: 'allow' } : { state: 'ask', asked }
}

/** What an approver gave, or undefined when it is no answer at all. */
export function readApproval(answer: unknown): Approval | undefined {
  if (answer === 'allow' || answer === 'pause') return answer
  if (typeof answer !== 'object' || answer === null) return undefined
  const deny = (answer as { readonly deny?: unknown }).deny
  return typeof deny === 'string' ? { deny } : undefined
}

/** Refuses a policy with a misspelt capability or answer before anything runs: it would silently protect nothing. */
export function checkPolicy(policy: CapabilityPolicy): CapabilityPolicy {
  for (const [capability, answer] of Object.entries(policy)) {
    if (!(toolCapabilities as readonly string[]).includes(capability)) {
      const known = toolCapabilities.join(', ')
      throw new ToolwireError('misuse', `the policy names the unknown capability "${capability}"; use one of ${known}`)
    }
    if (answer !== undefined && !policyAnswers.includes(answer)) {
      const known = policyAnswers.join(', ')
      throw new ToolwireError('misuse', `the policy for "${capability}" is "${String(answer)}"; use one of ${known}`)
    }
  }
  return policy
}
