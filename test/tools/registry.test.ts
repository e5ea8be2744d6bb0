import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tool } from '../../src/tools/define.js'
import { executeToolCalls } from '../../src/tools/execute.js'
import { type Drift, ToolRegistry } from '../../src/tools/registry.js'
import { sampleCall, sampleTool } from './sample-tool.js'

const from = (source: string, name: string, digest = 'v1') =>
  sampleTool(name, () => `${name} of ${source}`, { source, digest })
const names = (registry: ToolRegistry, scope?: string) => registry.list(scope).map((tool) => tool.name)

describe('a registry', () => {
  it('adds, finds, lists in order and removes', () => {
    const registry = new ToolRegistry([from('local', 'a')])
    registry.add(from('local', 'b'))
    expect(names(registry)).toEqual(['a', 'b'])
    expect(registry.get('a')?.name).toBe('a')
    expect(registry.remove('a')).toBe(true)
    expect(registry.remove('a')).toBe(false)
    expect(names(registry)).toEqual(['b'])
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('takes a tool called %s', async (name) => {
    const registry = new ToolRegistry()
    expect(registry.get(name)).toBeUndefined()
    registry.add(from('local', name))
    expect(registry.get(name)?.name).toBe(name)
    expect(registry.drift(from('local', name, 'v2'))?.pinned).toBe('v1')
    expect(new ToolRegistry([], { pins: registry.digests() }).drift(from('local', name, 'v2'))?.pinned).toBe('v1')
    const [result] = await executeToolCalls([sampleCall(name)], registry)
    expect(result?.content).toEqual([{ type: 'text', text: `${name} of local` }])
  })

  it('scopes filter lists and snapshots; a tool without scopes is in all', () => {
    const registry = new ToolRegistry()
    registry.add(from('local', 'everywhere'))
    registry.add(from('local', 'admin_only'), { scopes: ['admin'] })
    registry.add(from('local', 'nowhere'), { scopes: [] })
    expect(names(registry)).toEqual(['everywhere', 'admin_only', 'nowhere'])
    expect(names(registry, 'admin')).toEqual(['everywhere', 'admin_only'])
    expect(names(registry, 'guest')).toEqual(['everywhere'])
    expect(registry.snapshot('guest').get('admin_only')).toBeUndefined()
    expect(registry.snapshot('admin').get('admin_only')?.name).toBe('admin_only')
  })

  it('renews a tool in its place and under its name, adds it when it is new, and asks about a changed one', () => {
    const registry = new ToolRegistry([from('one', 'a'), from('one', 'b')], { onCollision: 'qualify' })
    registry.add(from('two', 'a'))
    expect(registry.renew(from('two', 'a')).name).toBe('two::a')
    expect(registry.renew(from('two', 'c')).name).toBe('c')
    expect(names(registry)).toEqual(['a', 'b', 'two::a', 'c'])
    expect(() => registry.renew(from('one', 'b', 'v2'))).toThrow('is not the one that was pinned')
    expect(registry.get('b')?.digest).toBe('v1')
    const trusting = new ToolRegistry([from('one', 'a'), from('one', 'b')], { onDrift: 'replace' })
    trusting.renew(from('one', 'a', 'v2'))
    expect(trusting.list().map((tool) => tool.digest)).toEqual(['v2', 'v1'])
  })

  it('a snapshot does not see later changes and cannot be changed', () => {
    const registry = new ToolRegistry([from('local', 'a')])
    const snapshot = registry.snapshot()
    registry.remove('a')
    registry.add(from('local', 'b'))
    expect(snapshot.list().map((tool) => tool.name)).toEqual(['a'])
    expect(snapshot.get('b')).toBeUndefined()
    expect(() => (snapshot.list() as unknown[]).push(1)).toThrow(TypeError)
  })

  it.each([undefined, null, {}, { name: 'a', parameters: {} }, { type: 'function', function: { name: 'a' } }])(
    'refuses what is not a defined tool: %j',
    (definition) => {
      expect(() => new ToolRegistry([definition as never])).toThrow(
        expect.objectContaining({ code: 'invalid_tool_spec', message: expect.stringContaining('importTool') }),
      )
    },
  )

  it('replace keeps place, name and scopes, and needs something to replace', () => {
    const registry = new ToolRegistry([from('local', 'a'), from('local', 'z')])
    registry.remove('a')
    registry.add(from('local', 'a'), { scopes: ['s'] })
    const next = from('local', 'z', 'v2')
    expect(registry.replace(next)).toBe(next)
    expect(names(registry)).toEqual(['z', 'a'])
    expect(() => registry.replace(from('local', 'q'))).toThrow('there is no tool "q" from "local" to replace; add it')
  })
})

describe('names that collide', () => {
  it('are an error that names both sources and the remedy', () => {
    const registry = new ToolRegistry([from('local', 'search')])
    expect(() => registry.add(from('github', 'search'))).toThrow(
      expect.objectContaining({
        code: 'invalid_tool_spec',
        message:
          'the tool "search" from "github" cannot be added: "local" already has one of that name; rename one, or use { onCollision: \'qualify\' }',
        detail: { tool: 'search', rule: 'unique_name', source: 'github', holder: 'local' },
      }),
    )
    expect(() => registry.add(from('local', 'search'))).toThrow('replace or remove it first')
    expect(() => new ToolRegistry([from('local', 'a'), from('local', 'a')])).toThrow('already has one of that name')
  })

  it('are qualified when asked: the later one gets its source in front', async () => {
    const registry = new ToolRegistry([from('local', 'search')], { onCollision: 'qualify' })
    const added = registry.add(from('github', 'search'))
    expect(added.name).toBe('github::search')
    expect(added.spec.name).toBe('github::search')
    expect(names(registry)).toEqual(['search', 'github::search'])
    const calls = [sampleCall('github::search'), sampleCall('search')]
    const results = await executeToolCalls(calls, registry)
    expect(results.map((result) => [result.name, result.content])).toEqual([
      ['github::search', [{ type: 'text', text: 'search of github' }]],
      ['search', [{ type: 'text', text: 'search of local' }]],
    ])
    expect(() => registry.add(from('github', 'search'))).toThrow('"github" already has one of that name')
    expect(registry.replace(from('github', 'search', 'v2')).name).toBe('github::search')
  })

  it('a qualified tool is checked within the same limits', () => {
    const input = { type: 'object', properties: { a: { items: { type: 'integer' } } } } as const
    const search = tool({ name: 'search', description: 'Searches for something', input, execute: () => 1 })
    const registry = new ToolRegistry([from('other', 'search'), search], { onCollision: 'qualify' })
    const [, renamed] = registry.list()
    expect(renamed?.name).toBe('local::search')
    expect(renamed?.checkInput({ a: [1, 2, 3] }, { work: 2 })).toMatchObject({ ok: false, limit: 'work' })
    expect(renamed?.checkInput({ a: [1, 2, 3] })).toMatchObject({ ok: true })
  })

  it('a server cannot take the qualified name of another', () => {
    const registry = new ToolRegistry([], { onCollision: 'qualify' })
    expect(registry.add(from('evil', 'github::search')).name).toBe('evil::github::search')
    registry.add(from('local', 'search'))
    expect(registry.add(from('github', 'search')).name).toBe('github::search')
  })

  it('qualified names are never ambiguous, whatever sources and names are', () => {
    const text = fc.string({ unit: fc.constantFrom(':', 'a', '%', '/'), maxLength: 6 })
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(text, text), { selector: (pair) => JSON.stringify(pair) }), (pairs) => {
        const registry = new ToolRegistry([], { onCollision: 'qualify' })
        for (const [source, name] of pairs) registry.add(from(source, name))
        expect(registry.list()).toHaveLength(pairs.length)
      }),
    )
  })
})

describe('a definition that changes', () => {
  it('is refused when it comes back different', () => {
    const registry = new ToolRegistry([from('mcp', 'a')])
    registry.remove('a')
    expect(registry.drift(from('mcp', 'a'))).toBeUndefined()
    expect(registry.drift(from('other', 'a', 'v2'))).toBeUndefined()
    expect(() => registry.add(from('mcp', 'a', 'v2'))).toThrow(
      expect.objectContaining({
        code: 'invalid_tool_spec',
        detail: { tool: 'a', rule: 'pinned_definition', source: 'mcp', name: 'a', pinned: 'v1', found: 'v2' },
      }),
    )
    expect(registry.get('a')).toBeUndefined()
  })

  it('is noticed against the digests of an earlier run', () => {
    const pins = JSON.parse(JSON.stringify(new ToolRegistry([from('mcp', 'a')]).digests()))
    expect(() => new ToolRegistry([from('mcp', 'a', 'v2')], { pins })).toThrow('is not the one that was pinned')
    expect(names(new ToolRegistry([from('mcp', 'a')], { pins }))).toEqual(['a'])
  })

  it('is taken, and pinned anew, when the program says so', () => {
    const seen: Drift[] = []
    const onDrift = (drift: Drift) => {
      seen.push(drift)
      return 'replace' as const
    }
    for (const registry of [
      new ToolRegistry([from('mcp', 'a')], { onDrift: 'replace' }),
      new ToolRegistry([from('mcp', 'a')], { onDrift }),
    ]) {
      registry.remove('a')
      registry.add(from('mcp', 'a', 'v2'))
      expect(registry.drift(from('mcp', 'a', 'v2'))).toBeUndefined()
    }
    expect(seen).toEqual([{ source: 'mcp', name: 'a', pinned: 'v1', found: 'v2' }])
  })

  it('is pinned by replace, which is the program’s own act', () => {
    const registry = new ToolRegistry([from('mcp', 'a')])
    registry.replace(from('mcp', 'a', 'v2'))
    expect(registry.digests()).toEqual({ 'mcp::a': 'v2' })
  })
})
