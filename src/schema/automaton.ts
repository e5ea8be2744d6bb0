// An automaton that looks at each character of a text once. Its states are made when a text first needs them, and kept within a bound.
// Trap: whether `^ $ \b \B` hold depends on the characters on both sides, so that they are decided with the step over the next one.

type Assertion = '^' | '$' | '\\b' | '\\B'

interface Atom {
  readonly type: 'atom'
  /** What accepts one character: `a`, `\d`, `[a-z]`. */
  readonly source: string
  readonly next: number
}

export type Instruction =
  | Atom
  | { readonly type: 'assertion'; readonly assertion: Assertion; readonly next: number }
  | { readonly type: 'fork'; readonly targets: readonly number[] }
  | { readonly type: 'match' }

export interface Program {
  readonly instructions: readonly Instruction[]
  readonly start: number
}

/** What stands on one side of a place in a text. */
type Side = 'edge' | 'word' | 'other'

/** All characters that the same atoms accept. */
interface Letter {
  readonly id: number
  readonly side: Side
  /** The sources of these atoms. */
  readonly acceptedBy: ReadonlySet<string>
}

interface State {
  readonly before: Side
  /** Indexes of instructions. */
  readonly places: readonly number[]
  /** By the id of the letter. */
  readonly next: State[]
  /** Whether a text that ends here matches. */
  atEnd: boolean | undefined
  /** Where the rest of the text does not matter. */
  readonly verdict: boolean | undefined
}

const matched: State = { before: 'other', places: [], next: [], atEnd: undefined, verdict: true }
const failed: State = { before: 'other', places: [], next: [], atEnd: undefined, verdict: false }

/** What an automaton remembers: at most about so many fields of states and letters, and characters outside of ASCII. */
const cacheLimit = 20_000
const charactersLimit = 1_000

interface Cache {
  size: number
  readonly first: State
  readonly states: Map<string, State>
  readonly letters: Map<string, Letter>
  /** By code. */
  readonly ascii: Letter[]
  readonly others: Map<number, Letter>
}

/** Whether the program matches anywhere in a text; the time is linear in the text, whatever the program. */
export function automaton({ instructions, start }: Program): (text: string) => boolean {
  const letterOf = letterReader(instructions)
  const reached = walker(instructions)
  // A pattern that is tied to the start of the text begins nowhere else.
  const isTied = reached([start], (assertion) => assertion !== '^')?.length === 0
  let cache = emptyCache(start)

  function step({ places, before }: State, { id, side, acceptedBy }: Letter): State {
    if (cache.size > cacheLimit) cache = emptyCache(start)
    cache.size += id + 1
    const atoms = reached(places, (assertion) => holds(assertion, before, side))
    if (atoms === undefined) return matched
    const isFollowing = new Uint8Array(instructions.length)
    if (!isTied) isFollowing[start] = 1
    for (const { source, next } of atoms) if (acceptedBy.has(source)) isFollowing[next] = 1
    return stateOf(cache, side, isFollowing)
  }

  return (text) => {
    let state = cache.first
    for (let index = 0; index < text.length; index += 1) {
      const code = text.codePointAt(index) ?? 0
      if (code > 0xffff) index += 1
      const letter = (code < 128 ? cache.ascii[code] : cache.others.get(code)) ?? letterOf(cache, code)
      state = state.next[letter.id] ??= step(state, letter)
      if (state.verdict !== undefined) return state.verdict
    }
    const { places, before } = state
    state.atEnd ??= reached(places, (assertion) => holds(assertion, before, 'edge')) === undefined
    return state.atEnd
  }
}

function emptyCache(start: number): Cache {
  const first: State = { before: 'edge', places: [start], next: [], atEnd: undefined, verdict: undefined }
  return { size: 0, first, states: new Map(), letters: new Map(), ascii: [], others: new Map() }
}

function stateOf(cache: Cache, before: Side, isFollowing: Uint8Array): State {
  const places: number[] = []
  for (let place = 0; place < isFollowing.length; place += 1) if (isFollowing[place] === 1) places.push(place)
  if (places.length === 0) return failed
  const key = before + String.fromCharCode(...places)
  const known = cache.states.get(key)
  if (known !== undefined) return known
  const state: State = { before, places, next: [], atEnd: undefined, verdict: undefined }
  cache.states.set(key, state)
  cache.size += places.length
  return state
}

/** Finds the letter of a character by one expression of the runtime, in which every class that accepts it leaves a capture. */
function letterReader(instructions: readonly Instruction[]): (cache: Cache, code: number) => Letter {
  const asksForWords = instructions.some((one) => one.type === 'assertion' && one.assertion.length === 2)
  const classes = new Set(asksForWords ? ['\\w'] : [])
  /** What stands for itself alone. */
  const characters = new Set<string>()
  for (const one of instructions) {
    if (one.type === 'atom') (/^[.\\[]/.test(one.source) ? classes : characters).add(one.source)
  }
  const expression = new RegExp(`^${Array.from(classes, (source) => `(?=(${source})?)`).join('')}`, 'u')
  return (cache, code) => {
    const character = String.fromCodePoint(code)
    const [, ...captures] = expression.exec(character) ?? []
    let key = characters.has(character) ? character : ''
    for (const capture of captures) key += capture === undefined ? '0' : '1'
    let letter = cache.letters.get(key)
    if (letter === undefined) {
      const acceptedBy = new Set([...classes].filter((_, index) => captures[index] !== undefined))
      const side = asksForWords && acceptedBy.has('\\w') ? 'word' : 'other'
      if (characters.has(character)) acceptedBy.add(character)
      letter = { id: cache.letters.size, side, acceptedBy }
      cache.letters.set(key, letter)
      cache.size += classes.size + 1
    }
    if (cache.others.size >= charactersLimit) cache.others.clear()
    if (code < 128) cache.ascii[code] = letter
    else cache.others.set(code, letter)
    return letter
  }
}

/** The atoms that wait for a character behind the places, where the assertions on the way hold; undefined when a match is reached. */
type Reached = (places: readonly number[], isHolding: (assertion: Assertion) => boolean) => Atom[] | undefined

function walker(instructions: readonly Instruction[]): Reached {
  const lastVisit = new Float64Array(instructions.length)
  let visit = 0
  return (places, isHolding) => {
    visit += 1
    const atoms: Atom[] = []
    const open = [...places]
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      const instruction = instructions[place]
      if (instruction === undefined || lastVisit[place] === visit) continue
      lastVisit[place] = visit
      if (instruction.type === 'match') return undefined
      if (instruction.type === 'atom') atoms.push(instruction)
      else if (instruction.type === 'fork') open.push(...instruction.targets)
      else if (isHolding(instruction.assertion)) open.push(instruction.next)
    }
    return atoms
  }
}

function holds(assertion: Assertion, before: Side, after: Side): boolean {
  switch (assertion) {
    case '^':
      return before === 'edge'
    case '$':
      return after === 'edge'
    case '\\b':
      return (before === 'word') !== (after === 'word')
    case '\\B':
      return (before === 'word') === (after === 'word')
  }
}
