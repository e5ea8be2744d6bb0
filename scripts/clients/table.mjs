// What became of every cell, as a table for a terminal or a page.
const head = ['client', 'its wire', 'onto', 'result', 'seconds', 'losses']

export function tableOf(cells) {
  const rows = cells.map(({ agent, wire, seconds, losses, problem }) => [
    agent.name,
    agent.wire,
    wire,
    problem === undefined ? 'ok' : `failed: ${problem.replace(/\s+/g, ' ').slice(0, 200)}`,
    seconds.toFixed(1),
    losses.join(', '),
  ])
  const line = (words) => `| ${words.join(' | ')} |\n`
  const hosts = [...new Set(cells.flatMap((cell) => cell.hosts))]
  return [
    line(head),
    line(head.map(() => '---')),
    ...rows.map(line),
    `\n${cells.filter(({ problem }) => problem === undefined).length} of ${cells.length} ok; `,
    hosts.length === 0 ? 'no other host was asked for\n' : `turned away on their way to: ${hosts.join(', ')}\n`,
  ].join('')
}
