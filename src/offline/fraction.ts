// Exact numbers: fractions of bigints in lowest terms, written as decimals. Nothing here rounds but `decimalText`, which says so.

export interface Fraction {
  readonly over: bigint
  /** Always positive. */
  readonly under: bigint
}

export function fraction(over: bigint, under: bigint): Fraction {
  const sign = under < 0n ? -1n : 1n
  const common = divisor(over < 0n ? -over : over, under * sign)
  return common === 0n ? { over: 0n, under: 1n } : { over: (sign * over) / common, under: (sign * under) / common }
}

/** The exact value of a decimal such as `12`, `0.5` or `1.5e-3`. */
export function decimalFraction(text: string): Fraction {
  const [mantissa = '0', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '0', decimals = ''] = mantissa.split('.')
  const power = Number(exponent) - decimals.length
  const digits = BigInt(`${whole}${decimals}`)
  return power >= 0 ? { over: digits * 10n ** BigInt(power), under: 1n } : fraction(digits, 10n ** BigInt(-power))
}

export const add = (a: Fraction, b: Fraction): Fraction =>
  fraction(a.over * b.under + b.over * a.under, a.under * b.under)
export const negate = (a: Fraction): Fraction => ({ over: -a.over, under: a.under })
export const multiply = (a: Fraction, b: Fraction): Fraction => fraction(a.over * b.over, a.under * b.under)
/** The divisor must not be zero. */
export const divide = (a: Fraction, b: Fraction): Fraction => fraction(a.over * b.under, a.under * b.over)
/** What is left of `a` after whole times `b`, with the sign of `a`. The divisor must not be zero. */
export const remainder = (a: Fraction, b: Fraction): Fraction =>
  fraction((a.over * b.under) % (b.over * a.under), a.under * b.under)

export interface DecimalText {
  readonly text: string
  /** False when digits were rounded away. */
  readonly exact: boolean
}

/** The fraction as a decimal: exact where its decimals end, else rounded to `places` of them, half away from zero. */
export function decimalText(value: Fraction, places: number): DecimalText {
  const kept = decimalsOf(value.under) ?? places
  const scale = 10n ** BigInt(kept)
  const scaled = (value.over < 0n ? -value.over : value.over) * scale
  const rest = scaled % value.under
  const digits = scaled / value.under + (rest * 2n >= value.under ? 1n : 0n)
  const decimals =
    kept === 0
      ? ''
      : String(digits % scale)
          .padStart(kept, '0')
          .replace(/0+$/, '')
  const sign = value.over < 0n && digits !== 0n ? '-' : ''
  return { text: `${sign}${digits / scale}${decimals === '' ? '' : `.${decimals}`}`, exact: rest === 0n }
}

/** How many decimals one over this has; undefined when they never end. */
function decimalsOf(under: bigint): number | undefined {
  const [twos, odd] = timesIn(under, 2n)
  const [fives, rest] = timesIn(odd, 5n)
  return rest === 1n ? Math.max(twos, fives) : undefined
}

function timesIn(value: bigint, factor: bigint): [count: number, rest: bigint] {
  let count = 0
  let rest = value
  for (; rest % factor === 0n; count += 1) rest /= factor
  return [count, rest]
}

function divisor(a: bigint, b: bigint): bigint {
  let [larger, smaller] = [a, b]
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller]
  return larger
}
