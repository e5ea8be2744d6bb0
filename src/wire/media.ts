// Inline media: base64 data with its type, and the data: URLs some wires spell it as.

/** The parts of a base64 data: URL, or nothing for any other URL. */
export function parseDataUrl(url: string): { readonly mediaType: string; readonly data: string } | undefined {
  if (!url.startsWith('data:')) return undefined
  const comma = url.indexOf(',')
  const head = url.slice(5, comma)
  if (comma < 0 || !head.endsWith(';base64')) return undefined
  return { mediaType: head.slice(0, -7), data: url.slice(comma + 1) }
}

export function dataUrl(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`
}

/** The address of an image or file as one URL: its own, or its inline data as a data: URL. */
export function urlOf(part: {
  readonly url?: string
  readonly mediaType?: string
  readonly data?: string
}): string | undefined {
  if (part.data !== undefined) return dataUrl(part.mediaType ?? 'application/octet-stream', part.data)
  return part.url
}

/** `{ mediaType, data }` of a data: URL, else `{ url }`. */
export function mediaOf(url: string): { readonly url: string } | { readonly mediaType: string; readonly data: string } {
  return parseDataUrl(url) ?? { url }
}

/** Base64 in the usual alphabet, padded: Google's SDKs write the URL-safe one, which no other wire takes. */
export function standardBase64(data: string): string {
  if (!/[-_]/.test(data)) return data
  const usual = data.replaceAll('-', '+').replaceAll('_', '/')
  return usual.padEnd(Math.ceil(usual.length / 4) * 4, '=')
}
