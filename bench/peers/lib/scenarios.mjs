// The scenarios A to D as data: what the upstream sends (`slug`), what a contender does (`action`), how often.
// `warm` calls come before `rounds` batches of `calls`; `units` is what one call is divided by in the tables.
// A and D are warmed by as many exchanges, 2,400: until then most of what is measured is the runtime's compilers, for the floor, too,
// whose loop of ten rounds takes 8 ms after 400 exchanges and 2.5 after 2,400. What a program pays before that is F.

const chat = { slug: 'chat4', action: 'chat', tools: 't20', units: 1 }
const deltas = { action: 'chatStream', tools: 'none', calls: 2, warm: 8, units: 2000 }

export function scenarios(quick) {
  return {
    A: [{ key: 'chat', ...chat, calls: quick ? 30 : 200, rounds: quick ? 3 : 13, warm: quick ? 400 : 2_400 }],
    AZ: [
      {
        key: 'chat-zod',
        ...chat,
        schema: 'zod',
        calls: quick ? 20 : 150,
        rounds: quick ? 3 : 11,
        warm: quick ? 150 : 800,
        zodOnly: true,
      },
    ],
    B: [{ key: '2000', slug: 'text-2000', ...deltas, rounds: quick ? 3 : 11 }],
    BC: [{ key: '2000-coalesced', slug: 'text-2000-c', ...deltas, rounds: quick ? 3 : 7 }],
    C: [50, 100, 200, 400].map((kilobytes) => argumentsOf(kilobytes, quick)),
    CP: [50, 100, 200, 400].map((kilobytes) => ({
      ...argumentsOf(kilobytes, quick),
      action: 'partialStream',
      partialOnly: true,
    })),
    D: [
      loopOf(10, { calls: quick ? 6 : 20, rounds: quick ? 5 : 15, warm: quick ? 40 : 240 }),
      loopOf(50, { calls: quick ? 1 : 4, rounds: quick ? 5 : 15, warm: quick ? 1 : 4 }),
      loopOf(200, { calls: 1, rounds: quick ? 3 : 7, warm: 0 }),
    ],
  }
}

/**
 * Calls with arguments of this size in fragments of 50 bytes, from 100 kB on as much in every batch: a collection comes after so much
 * work, and would else be in each of the large and in few of the small. `growth`: sizes double, so the slow are stopped in time.
 */
function argumentsOf(kilobytes, quick) {
  return {
    key: `${kilobytes}k`,
    slug: `args-${kilobytes * 1000}-${kilobytes * 20}`,
    action: 'chatStream',
    tools: 'big',
    calls: quick ? 1 : Math.min(8, 800 / kilobytes),
    rounds: quick ? 2 : 15,
    warm: quick ? 2 : kilobytes === 50 ? 60 : 4,
    units: kilobytes * 20,
    wires: ['openai', 'anthropic'],
    growth: true,
  }
}

/** `$ID` makes the counter of the upstream one's own. */
function loopOf(rounds, counts) {
  return { key: String(rounds), slug: `loop-${rounds}-$ID`, action: 'toolLoop', tools: 't4', units: rounds, ...counts }
}

/** Whether a contender takes part in a case of a scenario. The floor always does, with plain schemas. */
export function takesPart(contender, scenario, item) {
  if (item.wires !== undefined && !item.wires.includes(contender.wire)) return false
  if (contender.only !== undefined && !contender.only.includes(scenario)) return false
  if (contender.floor) return true
  return (!item.zodOnly || contender.zod) && (!item.partialOnly || contender.partial)
}
