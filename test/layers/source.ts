// The source tree as the layer tests see it: every file with its text and the modules it imports.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root: string = fileURLToPath(new URL('../..', import.meta.url))

export interface SourceFile {
  /** Path below the repository, with forward slashes. */
  readonly path: string
  readonly text: string
  /** Imported paths: below the repository for relative ones, as written otherwise. */
  readonly imports: readonly string[]
}

/** Every file of a folder that is the project's own: what is installed there is not. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !path.includes('node_modules/'))
}

export function sourceFiles(): readonly SourceFile[] {
  return filesBelow('src')
    .filter((path) => path.endsWith('.ts'))
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      return { path, text, imports: importsOf(path, text) }
    })
}

function importsOf(path: string, text: string): readonly string[] {
  const pattern = /(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g
  return [...text.matchAll(pattern)].map((match) => {
    const name = match[1] ?? match[2] ?? ''
    if (!name.startsWith('.')) return name
    return join(dirname(path), name).replaceAll('\\', '/').replace(/\.js$/, '.ts')
  })
}
