// A small MCP server on stdio that says what it is told to, right or wrong: its script is its first argument, as JSON.
//   lists      lists of tools, each a list of pages; the next one holds after a call of `change`
//   answers    what calls are answered with, by the tool's name: { result } or { error }
//   stateFile  where the number of the list is kept over restarts
//   junk       printed to the standard output before anything else
//   stderr     printed to the standard error
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const { lists = [[[]]], answers = {}, stateFile, junk = '', stderr = '' } = JSON.parse(process.argv[2])
let version = stateFile === undefined ? 0 : Number(readFileSync(stateFile, 'utf8'))
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const text = (words) => ({ result: { content: [{ type: 'text', text: words }] } })

process.stdout.write(junk)
process.stderr.write(stderr)

function list({ cursor = '0' } = {}) {
  const pages = lists[Math.min(version, lists.length - 1)]
  const index = Number(cursor)
  const more = index + 1 < pages.length || pages[index] === 'again'
  return {
    result: {
      tools: Array.isArray(pages[index]) ? pages[index] : [],
      ...(more ? { nextCursor: `${index + (pages[index] === 'again' ? 0 : 1)}` } : {}),
    },
  }
}

function call(name, line) {
  if (name === 'hang') return undefined
  if (name === 'line') return text(line)
  if (name === 'stderr') process.stderr.write(stderr)
  if (name === 'change') {
    version += 1
    write({ method: 'notifications/tools/list_changed' })
  }
  return answers[name] ?? text(`${name} ${version}`)
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  const answer = (result) => result && write({ id, ...result })
  if (method === 'initialize') {
    const capabilities = { tools: { listChanged: true } }
    const serverInfo = { name: 'scripted', version: '1' }
    answer({ result: { protocolVersion: params.protocolVersion, capabilities, serverInfo, instructions: 'Be brief.' } })
  } else if (method === 'tools/list') answer(list(params))
  else if (method === 'tools/call') answer(call(params.name, line))
  else if (method === 'notifications/cancelled') process.stderr.write(`cancelled ${params.requestId}\n`)
})
