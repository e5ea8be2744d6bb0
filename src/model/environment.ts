// Environment variables where there are any; browsers have none.

export function environment(name: string): string | undefined {
  const { process } = globalThis as {
    readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> }
  }
  const value = process?.env?.[name]
  return value === undefined || value === '' ? undefined : value
}
