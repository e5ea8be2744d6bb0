// Finds every adapter file in contenders/ (not starting with _) and in EXTRA_CONTENDERS (comma-separated paths).
import { readdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const dir = resolve(dirname(fileURLToPath(import.meta.url)), '../contenders')
export const files = () => [
  ...readdirSync(dir)
    .filter((f) => f.endsWith('.mjs') && !f.startsWith('_'))
    .map((f) => resolve(dir, f)),
  ...(process.env.EXTRA_CONTENDERS ?? '')
    .split(',')
    .filter(Boolean)
    .map((f) => resolve(f)),
]
export async function loadFile(file) {
  const m = await import(pathToFileURL(file).href)
  return [m.default].flat()
}
