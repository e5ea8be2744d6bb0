// Punycode (RFC 3492), for labels of at most 63 characters: longer ones are refused before they get here, so that the time is bounded.

const base = 36
const tMin = 1
const tMax = 26
const initialBias = 72
const initialCode = 128

/** The label behind `xn--` in Unicode; undefined when it is not Punycode. */
export function decodePunycode(text: string): string | undefined {
  const dash = text.lastIndexOf('-')
  const output = dash === -1 ? [] : Array.from(text.slice(0, dash), (character) => character.charCodeAt(0))
  let code = initialCode
  let bias = initialBias
  let index = 0
  for (let at = dash === -1 ? 0 : dash + 1; at < text.length; ) {
    const start = index
    for (let weight = 1, k = base; ; k += base) {
      const digit = digitOf(text.charCodeAt(at))
      at += 1
      if (digit === undefined) return undefined
      index += digit * weight
      const threshold = thresholdOf(k, bias)
      if (digit < threshold) break
      weight *= base - threshold
    }
    bias = adapt(index - start, output.length + 1, start === 0)
    code += Math.floor(index / (output.length + 1))
    index %= output.length + 1
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return undefined
    output.splice(index, 0, code)
    index += 1
  }
  return String.fromCodePoint(...output)
}

/** A label as it stands behind `xn--`. */
export function encodePunycode(text: string): string {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  const basic = codes.filter((code) => code < initialCode)
  let output = String.fromCharCode(...basic) + (basic.length > 0 ? '-' : '')
  let code = initialCode
  let delta = 0
  let bias = initialBias
  let done = basic.length
  while (done < codes.length) {
    const next = codes.filter((one) => one >= code).reduce((least, one) => Math.min(least, one), 0x110000)
    delta += (next - code) * (done + 1)
    code = next
    for (const one of codes) {
      if (one < code) delta += 1
      if (one !== code) continue
      output += digitsOf(delta, bias)
      bias = adapt(delta, done + 1, done === basic.length)
      delta = 0
      done += 1
    }
    delta += 1
    code += 1
  }
  return output
}

function digitsOf(delta: number, bias: number): string {
  let text = ''
  let rest = delta
  for (let k = base; ; k += base) {
    const threshold = thresholdOf(k, bias)
    if (rest < threshold) return text + digit(rest)
    text += digit(threshold + ((rest - threshold) % (base - threshold)))
    rest = Math.floor((rest - threshold) / (base - threshold))
  }
}

function digit(value: number): string {
  return String.fromCharCode(value < 26 ? value + 97 : value + 22)
}

function digitOf(code: number): number | undefined {
  if (code >= 0x30 && code <= 0x39) return code - 22
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x7a ? lower - 0x61 : undefined
}

function thresholdOf(k: number, bias: number): number {
  return Math.min(tMax, Math.max(tMin, k - bias))
}

function adapt(delta: number, count: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? 700 : 2))
  rest += Math.floor(rest / count)
  let k = 0
  for (; rest > ((base - tMin) * tMax) / 2; k += base) rest = Math.floor(rest / (base - tMin))
  return k + Math.floor(((base - tMin + 1) * rest) / (rest + 38))
}
