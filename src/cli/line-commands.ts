// The commands that read JSON lines and write one JSON line for each. Each loads its codecs when it runs.
import { type Command, Option } from 'commander'
import { type Wire, wires } from '../conversation/messages.js'
import { type Answer, answerLines, type Line } from './lines.js'
import type { TranslateOptions } from './translate.js'

const kinds: readonly TranslateOptions['kind'][] = ['request', 'response', 'stream']

export const wireOption = (flags: string, description: string): Option =>
  new Option(flags, description).choices(wires).makeOptionMandatory()
export const profileOption = (flags: string): Option =>
  new Option(flags, "a vendor on that wire; the wire's own when left out")

export function addLineCommands(program: Command): void {
  program
    .command('decode')
    .summary('answers of a wire → canonical responses')
    .description('recorded answers of a wire → canonical responses. Lines: {"id","status"?,"headers"?,"body"|"chunks"}')
    .addOption(wireOption('--wire <wire>', 'the wire the answers are on'))
    .addOption(profileOption('--profile <name>'))
    .action(async (options: WireFlags) => {
      const { decodeLine } = await import('./decode.js')
      const wire = await checked(options)
      await each((line) => decodeLine(line, wire))
    })
  program
    .command('encode')
    .summary('canonical requests → HTTP requests of a wire')
    .description('canonical requests → the HTTP request of a wire. Lines: {"id","request"}')
    .addOption(wireOption('--wire <wire>', 'the wire to write'))
    .addOption(profileOption('--profile <name>'))
    .option('--stream', 'ask for a streamed answer', false)
    .action(async ({ stream, ...options }: WireFlags & { stream: boolean }) => {
      const { encodeLine } = await import('./encode.js')
      const wire = await checked(options)
      await each((line) => encodeLine(line, { ...wire, stream }))
    })
  program
    .command('translate')
    .summary('what one wire says → another wire')
    .description('requests, answers or streams of one wire → another. Lines: {"id","body"|"chunks"}')
    .addOption(wireOption('--from <wire>', 'the wire that is read'))
    .addOption(wireOption('--to <wire>', 'the wire that is written'))
    .addOption(new Option('--kind <kind>', 'what the lines hold').choices(kinds).makeOptionMandatory())
    .addOption(profileOption('--from-profile <name>'))
    .addOption(profileOption('--to-profile <name>'))
    .action(translate)
  program
    .command('check-tools')
    .summary('tool definitions → what each wire loses')
    .description('tool definitions of any dialect → the canonical tool and what each wire loses. Lines: {"id","tool"}')
    .action(async () => {
      const { checkToolLine } = await import('./check-tools.js')
      await each(checkToolLine)
    })
}

export interface WireFlags {
  readonly wire: Wire
  readonly profile?: string | undefined
}
interface TranslateFlags {
  readonly from: Wire
  readonly to: Wire
  readonly kind: TranslateOptions['kind']
  readonly fromProfile?: string
  readonly toProfile?: string
}

async function translate({ kind, ...flags }: TranslateFlags): Promise<void> {
  const { translateLine } = await import('./translate.js')
  const from = await checked({ wire: flags.from, profile: flags.fromProfile })
  const to = await checked({ wire: flags.to, profile: flags.toProfile })
  await each((line) => translateLine(line, { from, to, kind }))
}

/** Fails before the first line when the profile is unknown. */
async function checked(options: WireFlags): Promise<WireFlags> {
  const { wireEnv } = await import('./answers.js')
  wireEnv(options)
  return options
}

async function each(answer: (line: Line) => Answer): Promise<void> {
  await answerLines(process.stdin, process.stdout, answer)
}
