import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EventQueue } from '../../src/wire/gemini/event-queue.js'

interface Step {
  readonly kind: 'open' | 'complete' | 'add'
  readonly part: number
}

const steps = fc.array(fc.record({ kind: fc.constantFrom('open', 'complete', 'add'), part: fc.nat(8) }), {
  maxLength: 60,
})

/** The same, by looking through everything at each step. */
function takeBySearch(all: readonly Step[]): readonly (readonly string[])[] {
  const open = new Set<number>()
  const completed = new Set<number>()
  let events: { readonly part: number; readonly name: string }[] = []
  return all.map(({ kind, part }, index) => {
    if (kind === 'open' && !completed.has(part)) open.add(part)
    if (kind === 'complete') {
      completed.add(part)
      open.delete(part)
    }
    if (kind === 'add') events.push({ part, name: `${part}/${index}` })
    const first = Math.min(...open, Number.POSITIVE_INFINITY)
    const ready = events.filter((event) => event.part < first).toSorted((a, b) => a.part - b.part)
    events = events.filter((event) => event.part >= first)
    return ready.map(({ name }) => name)
  })
}

test('gemini: events wait for the calls before them and leave in the order of their parts', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const queue = new EventQueue<{ readonly part: number; readonly name: string }>()
      const taken = all.map(({ kind, part }, index) => {
        if (kind === 'open') queue.open(part)
        if (kind === 'complete') queue.complete(part)
        if (kind === 'add') queue.add({ part, name: `${part}/${index}` })
        return queue.takeReady().map(({ name }) => name)
      })
      expect(taken).toEqual(takeBySearch(all as readonly Step[]))
      queue.completeAll()
      queue.takeReady()
      expect(queue.isEmpty).toBe(true)
    }),
  )
})
