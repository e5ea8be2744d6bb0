// A program's demos and instruction as JSON, in the form in which DSPy saves the state of a predictor, so that either reads the other's.
import { ToolwireError } from '../errors/error.js'
import { displayJson } from '../json/display.js'
import { isJsonObject, parseBody } from '../json/parse.js'
import type { Json, JsonObject } from '../json/types.js'
import type { Demo } from './adapter.js'
import type { Field, SignatureData } from './field.js'
import { checkValues } from './inputs.js'
import { printSignature } from './print.js'

/** What can be saved and loaded: programs and agents. */
interface Saveable<Self> {
  readonly module: string
  readonly signature: SignatureData
  readonly demos: readonly Demo[]
  with(options: { readonly demos: readonly Demo[] }): Self
  instruct(instruction: string): Self
}

/** Plain JSON: the demos, the instruction, and the signature they belong to. */
export function saveProgram(program: Pick<Saveable<unknown>, 'module' | 'signature' | 'demos'>): JsonObject {
  const { module, signature, demos } = program
  const state: JsonObject = {
    traces: [],
    train: [],
    demos: demos.map((demo) => parseBody(displayJson(demo))),
    signature: {
      instructions: signature.instruction,
      fields: [...signature.inputs, ...signature.outputs].map(({ name, description }) => ({
        prefix: `${titleOf(name)}:`,
        description: description ?? `\${${name}}`,
      })),
    },
    lm: null,
  }
  const metadata = { dependency_versions: {}, toolwire: { module, signature: printSignature(signature) } }
  // DSPy's chain of thought is a module around a predictor called `predict`.
  return module === 'chain_of_thought' ? { predict: state, metadata } : { ...state, metadata }
}

/** The program with the demos and the instruction that were saved. Trusts nothing in the JSON; `invalid_request` names the place. */
export function loadProgram<Self extends Saveable<Self>>(program: Self, saved: unknown): Self {
  if (!isJsonObject(saved)) throw refused('', 'is not an object')
  const { demos, signature } = isJsonObject(saved.predict) ? saved.predict : saved
  if (!Array.isArray(demos)) throw refused('/demos', 'is not a list')
  const fields = [...program.signature.inputs, ...program.signature.outputs]
  const read = demos.map((demo: Json, index) => readDemo(fields, demo, index))
  const instruction = isJsonObject(signature) ? signature.instructions : undefined
  const loaded = program.with({ demos: read })
  return typeof instruction === 'string' && instruction !== '' ? loaded.instruct(instruction) : loaded
}

/** Only members that are fields; DSPy adds some of its own, such as `augmented`. */
function readDemo(fields: readonly Field[], demo: Json, index: number): Demo {
  if (!isJsonObject(demo)) throw refused(`/demos/${index}`, 'is not an object')
  const known = fields.flatMap(({ name }) =>
    Object.hasOwn(demo, name) && demo[name] !== null ? [[name, demo[name]] as const] : [],
  )
  const values = Object.fromEntries(known)
  try {
    checkValues(fields, values, 'a demo')
  } catch (error) {
    throw refused(`/demos/${index}`, error instanceof Error ? error.message : 'cannot be read')
  }
  return values
}

function refused(path: string, why: string): ToolwireError {
  return new ToolwireError('invalid_request', `the saved program cannot be read: "${path}" ${why}`, {
    detail: { path },
  })
}

/** `user_question` and `userQuestion` as `User Question`, the way DSPy writes prefixes. */
function titleOf(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .split('_')
    .filter((word) => word !== '')
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ')
}
