// Journals and leases that somebody changed and gave valid checksums: what another program could have written.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sealText } from '../../src/durable/lines.js'

type Fields = { readonly [key: string]: unknown }

/** The records of a journal, without their checksums. */
export function recordsIn(text: string): readonly Fields[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line.replace(/^\{"sum":"\w{16}",/, '{')) as Fields)
}

/** Rewrites the journal with changed records. Its lease goes: that would know better. */
export async function editJournal(folder: string, runId: string, edit: (json: string) => string): Promise<void> {
  const path = join(folder, `${runId}.jsonl`)
  let sum = ''
  const lines = recordsIn(await readFile(path, 'utf8')).map((record) => {
    const claim = record.type === 'claim' ? { after: sum } : {}
    const sealed = sealText(sum, edit(JSON.stringify({ ...record, ...claim })))
    sum = sealed.sum
    return `${sealed.text}\n`
  })
  await writeFile(path, lines.join(''))
  await removeLease(folder, runId)
}

export async function removeLease(folder: string, runId: string): Promise<void> {
  await rm(join(folder, `${runId}.lease`), { recursive: true, force: true })
}

/** Rewrites the lease as another process could have left it. */
export async function editLease(folder: string, runId: string, owner: Fields, rest: Fields = {}): Promise<void> {
  const path = await leasePath(folder, runId)
  const [{ sum: _, ...content } = {}] = [JSON.parse(await readFile(path, 'utf8')) as Fields]
  const changed = {
    ...content,
    isReleased: false,
    owner: { ...(content.owner as Fields), token: 't', ...owner },
    ...rest,
  }
  await writeFile(path, `${sealText('', JSON.stringify(changed)).text.padEnd(1_023)}\n`)
}

/** The file of the lease with the highest epoch. */
export async function leasePath(folder: string, runId: string): Promise<string> {
  const epochs = (await readdir(join(folder, `${runId}.lease`))).map(Number)
  return join(folder, `${runId}.lease`, String(Math.max(...epochs)))
}
