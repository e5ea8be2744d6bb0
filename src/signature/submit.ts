// The tool by which a model gives the outputs of a signature: its parameters are the outputs, so that tools and typed outputs work
// together on every wire.
import type { Checked, Issue } from '../schema/issue.js'
import { makeTool } from '../tools/definition.js'
import type { Tool } from '../tools/tool.js'
import type { Field } from './field.js'
import { objectSchemaOf } from './schema-field.js'
import { checkField, takesNull } from './values.js'

export const submitName = 'submit'

/** A tool that hands the checked outputs to `take`. The model reads what is wrong with outputs that do not fit. */
export function submitTool(
  outputs: readonly Field[],
  take: (values: ReadonlyMap<string, unknown>) => void,
): Tool<ReadonlyMap<string, unknown>, string> {
  return makeTool({
    name: submitName,
    description: 'Gives the outputs and ends the task. Call it once, when all outputs are known.',
    taken: { schema: objectSchemaOf(outputs), check: (value) => checkOutputs(outputs, value) },
    source: 'local',
    options: {},
    execute: (values: ReadonlyMap<string, unknown>) => {
      take(values)
      return 'The outputs were taken.'
    },
  })
}

/** Every output by name; members that are no output are left out. */
async function checkOutputs(outputs: readonly Field[], given: unknown): Promise<Checked<ReadonlyMap<string, unknown>>> {
  const members = new Map<string, unknown>(Object.entries(given as object))
  const values = new Map<string, unknown>()
  const issues: Issue[] = []
  for (const field of outputs) {
    const value = members.get(field.name)
    if (value === undefined || (value === null && field.optional && !takesNull(field.type))) {
      if (!field.optional) issues.push({ path: `/${field.name}`, message: 'is required' })
      continue
    }
    const checked = await checkField(field, value)
    if (checked.ok) values.set(field.name, checked.value)
    else issues.push(...checked.issues.map(({ path, message }) => ({ path: `/${field.name}${path}`, message })))
  }
  return issues.length === 0 ? { ok: true, value: values } : { ok: false, issues }
}
