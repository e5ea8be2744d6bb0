// Signatures cost nothing to those who do not use them.
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { root } from '../layers/source.js'

async function bundled(code: string): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    stdin: { contents: code, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    conditions: ['browser'],
    alias: { '#sha256': './src/json/sha256.ts', '#transport': './src/transport/fetch.ts' },
    logLevel: 'silent',
    metafile: true,
  })
  const [output] = Object.values(metafile.outputs)
  const inputs = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  return inputs.map(([path]) => path).filter((path) => path.startsWith('src/signature/'))
}

test('a program that defines a tool does not carry them', async () => {
  expect(await bundled("export { tool, run } from './src/index.ts'")).toEqual([])
})

test('configure and the module share one state in a bundle', async () => {
  const paths = await bundled("export { configure, predict } from './src/index.ts'")
  expect(paths).toContain('src/signature/settings.ts')
  expect(paths).not.toContain('src/signature/react.ts')
})
