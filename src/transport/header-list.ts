// Names and values in turn: Node and undici write a list as it is, and look at an object name by name, with all their checks, first.
type Headers = Readonly<Record<string, string>>

/** The headers, and behind them those of `others` that are not among them. */
export function headerList(headers: Headers, others: Headers = {}): string[] {
  const list: string[] = []
  for (const name of Object.keys(headers)) list.push(name, headers[name] ?? '')
  for (const name of Object.keys(others)) if (headers[name] === undefined) list.push(name, others[name] ?? '')
  return list
}
