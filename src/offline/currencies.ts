// Currencies by name, code and sign.

const byName: ReadonlyMap<string, string> = new Map(
  (
    'dollar:USD euro:EUR pound:GBP sterling:GBP yen:JPY rupee:INR yuan:CNY franc:CHF peso:MXN ruble:RUB bitcoin:BTC ' +
    'krona:SEK krone:NOK zloty:PLN'
  )
    .split(' ')
    .map((entry) => entry.split(':'))
    .map(([name = '', code = '']): [string, string] => [name, code]),
)
const codes: ReadonlySet<string> = new Set(
  'USD EUR GBP JPY INR CNY CHF CAD AUD NZD MXN KRW BRL RUB BTC SEK NOK DKK PLN CZK HUF ZAR SGD HKD'.split(' '),
)
const signs: ReadonlyMap<string, string> = new Map(Object.entries({ $: 'USD', '€': 'EUR', '£': 'GBP', '¥': 'JPY' }))

/** The code of the currency that a word, code or sign names. */
export function currencyOf(word: string): string | undefined {
  const code = word.toUpperCase()
  return codes.has(code) ? code : (byName.get(word.toLowerCase().replace(/s$/, '')) ?? signs.get(word))
}
