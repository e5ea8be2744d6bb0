// Ways in which a file of lines can be damaged, drawn by a seed.
const lineBreak = 10

export type Draw = (below: number) => number

type Mutation = (bytes: Buffer, draw: Draw) => Buffer

/** The lines with their line breaks. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(lineBreak, start)
    const end = found === -1 ? bytes.length : found + 1
    lines.push(bytes.subarray(start, end))
    start = end
  }
  return lines
}

/** A stretch of lines: from one index to another, behind it. */
function stretch(count: number, draw: Draw): readonly [from: number, to: number] {
  const from = draw(count)
  return [from, from + 1 + draw(Math.min(6, count - from))]
}

function withBytes(bytes: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes)
  change(copy)
  return copy
}

const withLines = (bytes: Buffer, draw: Draw, change: (lines: Buffer[], draw: Draw) => readonly Buffer[]): Buffer =>
  Buffer.concat(change(linesOf(bytes), draw))

/** By name. What gives the same bytes back is no mutation. */
export const mutations: Readonly<Record<string, Mutation>> = {
  bit: (bytes, draw) =>
    withBytes(bytes, (copy) => {
      const at = draw(copy.length)
      copy[at] = (copy[at] ?? 0) ^ (1 << draw(8))
    }),
  byte: (bytes, draw) =>
    withBytes(bytes, (copy) => {
      copy[draw(copy.length)] = draw(256)
    }),
  'byte removed': (bytes, draw) => {
    const at = draw(bytes.length)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)])
  },
  'byte inserted': (bytes, draw) => {
    const at = draw(bytes.length + 1)
    return Buffer.concat([bytes.subarray(0, at), Buffer.from([draw(256)]), bytes.subarray(at)])
  },
  'line garbled': (bytes, draw) =>
    withLines(bytes, draw, (lines) => {
      const at = draw(lines.length)
      const garbled = Buffer.from(lines[at] ?? Buffer.alloc(0))
      for (let index = 0; index < garbled.length - 1; index += 1) garbled[index] = 32 + draw(95)
      return lines.with(at, garbled)
    }),
  'line removed': (bytes, draw) => withLines(bytes, draw, (lines) => lines.toSpliced(draw(lines.length), 1)),
  'line emptied': (bytes, draw) => withLines(bytes, draw, (lines) => lines.with(draw(lines.length), Buffer.from('\n'))),
  'line duplicated': (bytes, draw) =>
    withLines(bytes, draw, (lines) => {
      const at = draw(lines.length)
      return lines.toSpliced(draw(2) === 0 ? at : draw(lines.length + 1), 0, lines[at] ?? Buffer.alloc(0))
    }),
  'lines swapped': (bytes, draw) =>
    withLines(bytes, draw, (lines) => {
      const [a, b] = [draw(lines.length), draw(lines.length)]
      return lines.with(a, lines[b] ?? Buffer.alloc(0)).with(b, lines[a] ?? Buffer.alloc(0))
    }),
  'block removed': (bytes, draw) =>
    withLines(bytes, draw, (lines) => {
      const [from, to] = stretch(lines.length, draw)
      return lines.toSpliced(from, to - from)
    }),
  'block duplicated': (bytes, draw) =>
    withLines(bytes, draw, (lines) => {
      const [from, to] = stretch(lines.length, draw)
      return lines.toSpliced(draw(2) === 0 ? to : lines.length, 0, ...lines.slice(from, to))
    }),
  'block garbled': (bytes, draw) =>
    withBytes(bytes, (copy) => {
      const from = draw(copy.length)
      const to = Math.min(copy.length, from + 1 + draw(512))
      for (let at = from; at < to; at += 1) copy[at] = draw(256)
    }),
  'cut inside a record': (bytes, draw) => bytes.subarray(0, draw(bytes.length)),
  'cut at a boundary': (bytes, draw) => withLines(bytes, draw, (lines) => lines.slice(0, draw(lines.length))),
  'beginning cut off': (bytes, draw) => withLines(bytes, draw, (lines) => lines.slice(1 + draw(lines.length))),
  'NUL block': (bytes, draw) =>
    withBytes(bytes, (copy) => {
      const from = draw(copy.length)
      copy.fill(0, from, Math.min(copy.length, from + 1 + draw(512)))
    }),
  'NUL tail': (bytes, draw) => withBytes(bytes, (copy) => copy.fill(0, draw(copy.length))),
  'NUL file': (bytes) => Buffer.alloc(bytes.length),
  'NULs behind': (bytes, draw) => Buffer.concat([bytes, Buffer.alloc(1 + draw(512))]),
  'cut, then NULs': (bytes, draw) => {
    const at = draw(bytes.length)
    return Buffer.concat([bytes.subarray(0, at), Buffer.alloc(bytes.length - at)])
  },
}
