// Secrets never reach a journal: not those that were named, not the keys of the environment.

/** Names of environment variables that hold keys. */
const keyName = /(_API_KEY|_AUTH_TOKEN|_ACCESS_TOKEN|_SECRET_KEY)$/

/** Replaces each secret in a line of JSON, also as it stands there with escapes. */
export function scrubber(secrets: readonly string[]): (line: string) => string {
  const fromEnvironment = Object.entries(process.env).flatMap(([name, value]) =>
    keyName.test(name) && value !== undefined ? [value] : [],
  )
  const texts = [...secrets, ...fromEnvironment].filter((secret) => secret.length >= 8)
  const written = new Set(texts.flatMap((secret) => [JSON.stringify(secret).slice(1, -1), nested(secret)]))
  const longestFirst = [...written].toSorted((a, b) => b.length - a.length)
  return (line) => longestFirst.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), line)
}

/** As in argument text, which is JSON within JSON. */
function nested(secret: string): string {
  return JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1)
}
