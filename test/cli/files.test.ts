import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { checkWritable, readSaved, savedOf, writeSaved } from '../../src/cli/saved.js'
import { loadToolFiles } from '../../src/cli/tool-files.js'
import { run } from '../../src/loop/run.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'
import { tool } from '../../src/tools/define.js'
import { root } from '../layers/source.js'
import { temporaryFolder } from './command.js'

const misuse = (text: string) => expect.objectContaining({ code: 'misuse', message: expect.stringContaining(text) })

function written(text: string): string {
  const path = join(temporaryFolder(), 'tools.mjs')
  writeFileSync(path, text)
  return path
}

const definition = (name: string): string =>
  `{ name: '${name}', description: 'A tool of a test', input: { type: 'object', properties: {} }, execute: () => 1 }`

describe('--tools', () => {
  test('one, many, nested lists, a registry, default and named: each tool once, in order', async () => {
    const define = pathToFileURL(join(root, 'src/tools/define.ts')).href
    const registry = pathToFileURL(join(root, 'src/tools/registry.ts')).href
    const path = written(`
      import { tool } from '${define}'
      import { ToolRegistry } from '${registry}'
      export const alpha = tool(${definition('alpha')})
      export const beta = new ToolRegistry([tool(${definition('beta')})])
      export const count = 3
      export function ignored() {}
      export default [alpha, [tool(${definition('gamma')})]]
    `)
    const names = (await loadToolFiles([path])).map((found) => found.name)
    expect(names.toSorted()).toEqual(['alpha', 'beta', 'gamma'])
  })

  test('a plain definition needs no import', async () => {
    const [found] = await loadToolFiles([written(`export default ${definition('plain')}`)])
    expect(found).toMatchObject({ name: 'plain', source: 'local' })
  })

  test('what is wrong with a file is told with its name', async () => {
    await expect(loadToolFiles(['no-such-file.mjs'])).rejects.toEqual(misuse('no-such-file.mjs'))
    await expect(loadToolFiles([written('export default 1')])).rejects.toEqual(misuse('exports no tool'))
    await expect(loadToolFiles([written('throw new Error("boom")')])).rejects.toEqual(misuse('boom'))
    await expect(loadToolFiles([written(`export default ${definition('Bad Name')}`)])).rejects.toEqual(
      misuse('cannot be used'),
    )
  })
})

describe('--save and --resume', () => {
  const remove = tool({
    name: 'remove',
    description: 'Removes something for good',
    input: { type: 'object', properties: {} },
    capabilities: ['filesystem'],
    execute: () => 'removed',
  })

  test('a conversation comes back as it was, in a file for its owner only', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'talk.json')
    const result = await run({ model: scriptedModel(['Hello.']), prompt: 'Hi' })
    await writeSaved(path, savedOf(result))
    expect(await readSaved(path)).toEqual({ type: 'conversation', messages: result.messages })
    expect(Array.isArray(JSON.parse(readFileSync(path, 'utf8')))).toBe(true)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['talk.json'])
  })

  test('a symbolic link that was planted is replaced, and what it points to stays as it is', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'talk.json')
    const outside = join(folder, 'outside')
    writeFileSync(outside, 'as it was')
    symlinkSync(outside, path)
    symlinkSync(outside, `${path}.${process.pid}.tmp`)
    await writeSaved(path, savedOf(await run({ model: scriptedModel(['Hello.']), prompt: 'Hi' })))
    expect(readFileSync(outside, 'utf8')).toBe('as it was')
    expect((await readSaved(path)).type).toBe('conversation')
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([`talk.json.${process.pid}.tmp`])
  })

  test('a run that waits for approval comes back and goes on', async () => {
    const path = join(temporaryFolder(), 'talk.json')
    const model = scriptedModel([{ calls: [{ name: 'remove', args: {} }] }, 'Gone.'])
    const waiting = await run({ model, tools: [remove], prompt: 'go', approve: () => 'pause' })
    await writeSaved(path, savedOf(waiting))
    const saved = await readSaved(path)
    if (saved.type !== 'waiting') throw new Error('the saved run does not wait')
    const result = await run({ model, tools: [remove], resume: saved.state, approve: () => 'allow' })
    expect(result).toMatchObject({ text: 'Gone.', stop: { reason: 'answer' } })
  })

  test('what is no conversation is refused with its name', async () => {
    const folder = temporaryFolder()
    for (const [name, text] of [
      ['text.json', 'hello'],
      ['object.json', '{"a":1}'],
      ['roles.json', '[{"role":"king","content":[]}]'],
      ['proto.json', '[{"role":"user","content":[],"__proto__":{"x":1}}]'],
    ] as const) {
      const path = join(folder, name)
      writeFileSync(path, text)
      await expect(readSaved(path)).rejects.toEqual(misuse(name))
    }
    await expect(readSaved(join(folder, 'missing.json'))).rejects.toEqual(misuse('ENOENT'))
    await expect(checkWritable(join(folder, 'missing', 'talk.json'))).rejects.toEqual(misuse('--save'))
  })
})
