// Takes credentials out of text that people, logs or models will read. Trap: it sees hostile text, so every pattern
// starts at a literal and has one way to match at most: the time is linear in the length of the text.

const mask = '[redacted]'

/** Shorter ones ("x", "key") are placeholders of local servers; replacing them would only spoil words. */
const shortestSecret = 4

/** Keys that say what they are by their first letters. */
const prefixedKeys: readonly RegExp[] = [
  // Long enough to be a key whatever it holds, or shorter with a digit in it: "sk-learn-based" is none.
  /(?<![A-Za-z0-9])(?:sk|pk|rk|xai|pplx|glpat|xox[abeprs])-(?:[\w-]{20,}|(?=[A-Za-z_-]{0,20}\d)[\w-]{6,})/g,
  /(?<![A-Za-z0-9])(?:gh[opsru]|github_pat|gsk|hf|npm|r8|tgp|[prs]k_(?:live|test))_\w{16,}/g,
  /(?<![A-Za-z0-9])AIza[\w-]{16,}/g,
  /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{12,}/g,
  /(?<![A-Za-z0-9])ya29\.[\w-]{16,}/g,
  /(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g, // a JSON web token
]
/** The password of `scheme://user:password@host`. */
const urlPassword = /(:\/\/[^\s/?#@:"'<>]*:)[^\s/?#"'<>]+(?=@)/g
/** What follows "Bearer" or "Basic"; an ordinary word there ("Bearer authentication") stays. */
const schemeToken = /\b((?:bearer|basic)\s{1,4})([\w.~+/=-]{6,})/gi
const authorization =
  /(\bauthorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:(?:bearer|basic|token)\s{1,4})?)([^\s"',;\\]{4,})/gi
/** `name=value` and `name: value` for names of secrets, quotes and escaped quotes included. */
const namedSecret = new RegExp(
  [
    /(password|passwd|passphrase|pwd|secret|api[_-]?key|access[_-]?key|private[_-]?key|token)/,
    /(\\?["']?\s{0,4})([:=])(\s{0,4})/,
    /("(?:[^"\\\r\n]|\\.)+|'(?:[^'\\\r\n]|\\.)+|\\["'][^"'\\\r\n]+|[^\s"',;&(){}[\]<>\\=][^\s"',;&(){}[\]<>\\]*)/,
    /(?=([^\S\r\n]?\S?))/,
  ]
    .map((part) => part.source)
    .join(''),
  'gi',
)
const keyInQuery = /([?&]key=)[^\s&#"'<>]+/gi

/**
 * The text with the given secrets (also as written in JSON or a URL) and whatever looks like a credential replaced by
 * `[redacted]`. Text without them is unchanged.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  let result = redactPem(redactGiven(text, secrets))
  result = result.replace(urlPassword, `$1${mask}`)
  for (const pattern of prefixedKeys) result = result.replace(pattern, mask)
  const replaceToken = (match: string, head: string, token: string): string => (isWord(token) ? match : head + mask)
  return result
    .replace(authorization, replaceToken)
    .replace(schemeToken, replaceToken)
    .replace(keyInQuery, `$1${mask}`)
    .replace(namedSecret, replaceNamed)
}

function redactGiven(text: string, secrets: readonly string[]): string {
  const spellings = new Set<string>()
  for (const secret of secrets) {
    if (secret.length < shortestSecret) continue
    spellings.add(secret).add(JSON.stringify(secret).slice(1, -1)).add(encodeURIComponent(secret.toWellFormed()))
  }
  // The longest first: a secret may contain another.
  const ordered = [...spellings].sort((a, b) => b.length - a.length)
  return ordered.reduce((result, spelling) => result.replaceAll(spelling, mask), text)
}

/** A block that never ends is taken away to the end: it was cut, not harmless. */
function redactPem(text: string): string {
  let result = ''
  let from = 0
  for (let begin = text.indexOf('-----BEGIN '); begin !== -1; begin = text.indexOf('-----BEGIN ', from)) {
    result += text.slice(from, begin) + mask
    const end = text.indexOf('-----END ', begin)
    const close = end === -1 ? -1 : text.indexOf('-----', end + 9)
    if (close === -1) return result
    from = close + 5
  }
  return result + text.slice(from)
}

function replaceNamed(
  match: string,
  name: string,
  quote: string,
  sign: string,
  space: string,
  value: string,
  after: string,
): string {
  const opening = /^\\?["']/.exec(value)?.[0] ?? ''
  const secret = value.slice(opening.length)
  const quoted = opening !== '' || quote.trim() !== ''
  if (secret.startsWith(mask.slice(0, -1)) || !isSecret(name, secret, sign, quoted, after)) return match
  return `${name}${quote}${sign}${space}${opening}${mask}`
}

/**
 * Prose has colons too: "token: expected a string", "password: must be long". After a colon an unquoted value counts
 * only when it has a digit, or when nothing but the end of the line or of a list follows a password or key.
 */
function isSecret(name: string, secret: string, sign: string, quoted: boolean, after: string): boolean {
  if (/^\d{1,6}\.?$/.test(secret) && /token/i.test(name)) return false // a count
  if (/^(?:null|undefined|true|false|none|\*+)\.?$/i.test(secret)) return false
  if (/pwd/i.test(name) && /^[/~.]/.test(secret)) return false // a working directory
  if (sign === '=') return !secret.startsWith('>')
  if (quoted) return true
  if (/\d/.test(secret) && secret.length >= 6) return true
  return !/token|secret/i.test(name) && !/^\s\S/.test(after) && secret.length >= 4 && !secret.endsWith('.')
}

function isWord(token: string): boolean {
  return token.length < 16 && /^(?:[A-Za-z]?[a-z-]+|[A-Z]+)[.:]?$/.test(token)
}
