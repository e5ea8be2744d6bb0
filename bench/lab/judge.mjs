// The rules: what a library did with a row, as a verdict. They see only what all libraries have in common: how the run ended, what
// the handlers were given, and what the server was sent. `bad` is a call lost, doubled, run on guessed or unchecked arguments, a
// run that ends in silence, dies or hangs, a secret passed on, an integer rounded. `so_so` is harmless but costs something: a
// whole call that is answered as an error, say, costs a turn.

const ok = { verdict: 'ok', text: 'ok' }
const soSo = (text) => ({ verdict: 'so_so', text })
const bad = (text) => ({ verdict: 'bad', text })

/** The verdict on what was seen of a row. */
export function judge(row, seen) {
  if (seen.end === 'hangs') return bad('hangs')
  if (seen.stray !== undefined) return bad('unhandled rejection')
  return rules[row.right](row, seen)
}

const rules = {
  /** All calls are to be run, once each. */
  run(row, seen) {
    const wanted = row.first.calls.map(asRun)
    const ran = seen.ran.map(asText)
    if (ran.some((one) => !wanted.includes(one))) return bad('guessed arguments')
    if (new Set(ran).size < ran.length) return bad('call run twice')
    const trouble = troubleOf(seen)
    if (trouble !== undefined) return trouble
    if (ran.length < wanted.length) return answersOf(seen) < wanted.length ? bad('call lost') : soSo('refused')
    return row.first.text === undefined || seen.requests[1].body.includes(row.first.text) ? ok : soSo('text lost')
  },
  /** A call that is not whole is not to be run, and the model told. */
  refused(_, seen) {
    if (seen.ran.length > 0) return bad('runs a cut call')
    return troubleOf(seen) ?? (answersOf(seen) > 0 ? ok : bad('call lost'))
  },
  /** The same; ending the run with an error is fair, since the limit of the caller was met. */
  cut(row, seen) {
    if (seen.ran.length === 0 && admits(seen)) return soSo('run ends, says why')
    return rules.refused(row, seen)
  },
  /** The first call is whole, the second is cut by the limit. */
  first(row, seen) {
    if (seen.ran.length > 1) return bad('runs a cut call')
    if (seen.ran.length === 0 && admits(seen)) return soSo('run ends, says why')
    return troubleOf(seen) ?? (answersOf(seen) === row.first.calls.length ? ok : bad('call lost'))
  },
  /** A stream that breaks off is an error, and nothing of it is run. */
  error(_, seen) {
    if (seen.end === 'error') return seen.ran.length === 0 ? ok : bad('runs it, then dies')
    if (seen.text !== 'done') return bad('silent end')
    return soSo('taken for whole')
  },
  /** No finish reason, but the closing marker: a whole answer for who takes the marker as one, else an error. */
  unfinished(row, seen) {
    return seen.end === 'error' && seen.ran.length === 0 ? soSo('run ends, says why') : rules.run(row, seen)
  },
  /** The same, and the error is the one that the provider told. */
  provider_error(row, seen) {
    if (seen.requests.length > 1) return bad('goes on')
    const verdict = rules.error(row, seen)
    return verdict === ok && !seen.text.includes('overloaded') ? soSo('error, cause lost') : verdict
  },
  /** A call in the text is text: nothing runs, and whoever reads the answer sees it. */
  leaked(row, seen) {
    if (seen.end === 'answer' && seen.text.includes('<tool_call>')) return soSo('as text')
    return rules.run(row, seen)
  },
  /** The model is told, and the run goes on. */
  told: (_, seen) => troubleOf(seen) ?? (answersOf(seen) > 0 ? ok : bad('call lost')),
  /** Text is no number: not run, or made one. */
  checked(row, seen) {
    const given = seen.ran.map(asText).join()
    if (given.includes('string')) return bad('runs unchecked')
    return seen.ran.length > 0 ? soSo('converted') : rules.told(row, seen)
  },
  exact(row, seen) {
    const trouble = troubleOf(seen)
    if (trouble !== undefined) return trouble
    const digits = row.first.calls[0].args.match(/\d+/g)
    const isKept = digits.every((number) => seen.requests[1].body.includes(number))
    if (seen.ran.length === 0) return soSo(isKept ? 'refused' : 'refused, history rounded')
    const isExact = digits.every((number) => asText(seen.ran[0]).includes(number))
    return isExact ? (isKept ? ok : soSo('history rounded')) : bad('rounded')
  },
  /** One call fails, the other works: both are answered. */
  goes_on: (row, seen) => troubleOf(seen) ?? (answersOf(seen) === row.first.calls.length ? ok : bad('call lost')),
  secret(row, seen) {
    if (seen.requests.slice(1).some(({ body }) => body.includes('hunter22'))) return bad('passed on')
    return seen.end === 'error' ? { verdict: 'not_reached', text: 'not reached' } : rules.told(row, seen)
  },
  timed: (row, seen) => rules.told(row, seen),
  parallel(_, seen) {
    const trouble = troubleOf(seen)
    if (trouble !== undefined) return trouble
    return seen.ran.slice(0, 2).every((one) => one.startsWith('begin')) ? ok : soSo('in turn')
  },
}

/** How a run that should have come to its answer did not. */
function troubleOf({ end, text, requests }) {
  if (requests.some(({ refusal }) => refusal !== undefined)) return bad('history refused')
  if (end === 'error') return bad('run dies')
  return text === 'done' ? undefined : bad('silent end')
}

/** Whether a run ended early and says so: with an error, or with the finish reason that the caller is given. */
function admits({ end, text, says, requests }) {
  return requests.length === 1 && (end === 'error' || (text !== 'done' && says === 'length'))
}

/** How many calls the model reads an answer to. */
function answersOf({ requests }) {
  return JSON.parse(requests.at(-1).body).messages.filter(({ role }) => role === 'tool').length
}

/** What the handler of a whole call is given, as the tools note it down. */
function asRun({ name, args }) {
  return name === 'add' ? asText({ a: `number ${args.a}`, b: `number ${args.b}` }) : asText(name)
}

function asText(value) {
  return JSON.stringify(value)
}
