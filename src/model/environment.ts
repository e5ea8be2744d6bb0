// Environment variables where there are any; browsers have none.

/** Without the line break that ends what a file was read into. */
export function environment(name: string): string | undefined {
  const { process } = globalThis as {
    readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> }
  }
  const value = process?.env?.[name]?.replace(/[\r\n]+$/, '')
  return value === undefined || value === '' ? undefined : value
}
