// The ways to get a value out of a model, best first, and when each is possible. A table: nothing here knows a provider.
import type { Capabilities, Support } from '../model/model.js'

/**
 * `native`: the wire holds the answer to the schema. `native_with_tools`: so too, beside tools. `submit_tool`: the answer is a call
 * of a tool whose parameters are the schema. `json_object`: the wire demands some JSON object, the prompt says which. `prompted`:
 * only the prompt asks for it.
 */
export const rungs = ['native', 'native_with_tools', 'submit_tool', 'json_object', 'prompted'] as const
/** How an answer is held to its schema; `rungs` lists the ways, the strictest first. */
export type Rung = (typeof rungs)[number]

interface Constraint {
  readonly rung: Rung
  /** Whether it is for requests with tools, without, or both. */
  readonly tools: 'with' | 'without' | 'both'
  /** What the model must be known to do, or at least not known not to do. */
  readonly needs: readonly (readonly [keyof Capabilities, readonly Support[]])[]
}

const tried: readonly Support[] = ['yes', 'unknown']

/** In order of preference. A capability that is not said of a model at all counts as unknown. */
const constraints: readonly Constraint[] = [
  {
    rung: 'native',
    tools: 'without',
    needs: [
      ['structuredOutput', tried],
      ['outputSchema', tried],
    ],
  },
  // Some servers refuse the pair and some silently stop calling tools: it is used only where it is known to work.
  {
    rung: 'native_with_tools',
    tools: 'with',
    needs: [
      ['structuredOutput', tried],
      ['outputSchema', tried],
      ['structuredOutputWithTools', ['yes']],
    ],
  },
  { rung: 'submit_tool', tools: 'both', needs: [['tools', tried]] },
  { rung: 'json_object', tools: 'without', needs: [['structuredOutput', tried]] },
  { rung: 'prompted', tools: 'both', needs: [] },
]

/** Whether a rung is only tried, because nobody said that the model can do it. */
export function isGuess(rung: Rung, capabilities: Partial<Capabilities>): boolean {
  const needs = constraints.find((constraint) => constraint.rung === rung)?.needs ?? []
  return needs.some(([name]) => name !== 'outputSchema' && (capabilities[name] ?? 'unknown') === 'unknown')
}

/** The rungs that can be taken, best first; never empty. */
export function planOf(capabilities: Partial<Capabilities>, hasTools: boolean): readonly [Rung, ...Rung[]] {
  const possible = constraints.filter(({ tools, needs }) => {
    const fits = tools === 'both' || (tools === 'with') === hasTools
    return fits && needs.every(([name, enough]) => enough.includes(capabilities[name] ?? 'unknown'))
  })
  const [first = 'prompted', ...others] = possible.map(({ rung }) => rung)
  return [first, ...others]
}
