import { isServerUrl } from '@parley/client/named-servers'
import type { Command } from 'commander'
import { misused, type ParleyError } from '../cli/exit-codes.ts'
import { type CommonFlags, type ImageFlag, parseCount } from '../cli/flags.ts'
import { refuseSlips } from '../cli/messages.ts'
import type { SessionStart } from '../conversation/start-conversation.ts'
import type { WindowLaunch } from '../ink/run-interactive.ts'
import { flagsOf, type Settle, withCommonFlags, withImages, withPlain, withServer } from './shared-options.ts'

/** Defines the command without a name, `resume`, `attach`, `fork` and `demo`. */
export function defineConversations(program: Command, opened: WindowLaunch, settle: Settle): void {
  const interactive = (start: SessionStart) => settle(runWindow(opened, start))
  withPlain(withImages(withCommonFlags(program))).action(
    (prompt: string | undefined, flags: CommonFlags & ImageFlag) => {
      refuseSlips(program)
      if (prompt === undefined && flags.image !== undefined) throw noPrompt()
      return interactive({ kind: 'new', prompt: prompt ?? null, flags })
    },
  )
  withPlain(withCommonFlags(program.command('resume [id]').argument('[prompt]')))
    .description(
      'go on with a conversation: id, unique part of one, or name; a list when nothing is given. One that is open elsewhere is joined',
    )
    .option('--last', 'the newest one, of this folder if there is one; the only argument is the prompt')
    .action((id: string | undefined, prompt: string | undefined, _flags: unknown, command: Command) => {
      const flags = flagsOf<CommonFlags & { last?: boolean }>(command)
      refuseForOld(flags)
      return interactive({ kind: 'resume', ...resumedBy(id, prompt, flags.last === true), flags })
    })
  withServer(withPlain(program.command('attach [id]').argument('[conversation]')))
    .description(
      'join a conversation that another window has open; a list when there are several. With wss://HOST:PORT one of that server',
    )
    .option('--read-only', 'only watch: nothing can be sent or answered from here')
    .action(
      (
        first: string | undefined,
        second: string | undefined,
        { readOnly, ...own }: { readOnly?: boolean } & Pick<CommonFlags, 'plain' | 'color'>,
      ) => {
        const given = program.opts<CommonFlags>()
        const { plain = own.plain === true, color = own.color } = given
        const { plain: _, color: __, server, tokenFile, caFile, allowUnencrypted, ...settings } = given
        const id = attachedId(first, second)
        if (Object.keys(settings).length > 0)
          throw misused(
            'A conversation that is joined keeps its settings: `parley attach` takes none. Slash commands change them there.',
          )
        return interactive({
          kind: 'attach',
          id,
          readOnly: readOnly === true,
          flags: { plain, ...(color === undefined ? {} : { color }) },
        })
      },
    )
  withPlain(withCommonFlags(program.command('fork <id>')))
    .description('a new conversation from any point of an old one; without --at the points there are')
    .option('--at <seq>', 'the last event to take over', parseCount(1))
    .action((id: string, _flags: unknown, command: Command) => {
      const flags = flagsOf<CommonFlags & { at?: number }>(command)
      refuseForOld(flags)
      const { at } = flags
      if (at !== undefined) return interactive({ kind: 'fork', id, at, flags })
      return settle(import('../commands/rewind.ts').then(({ runForkPoints }) => runForkPoints(opened.launch, id)))
    })
  withPlain(withCommonFlags(program.command('demo')))
    .description('a real session on a recorded model, in a scratch project: no key, no network')
    .action((_flags: unknown, command: Command) =>
      settle(import('../commands/run-demo.ts').then(({ runDemo }) => runDemo(opened, flagsOf<CommonFlags>(command)))),
    )
}

/** Returns the conversation that is resumed, and a first message. With `--last` the first word is the message. */
function resumedBy(id: string | undefined, prompt: string | undefined, last: boolean) {
  if (!last) return { id: id ?? null, prompt: prompt ?? null, last }
  if (prompt !== undefined) throw misused('Give an id or --last, not both.')
  if (id !== undefined && !/\s/.test(id))
    throw misused(
      '--last and --continue go on with the newest conversation, so no id goes with them. A message needs more than one word here; type a shorter one in the window.',
    )
  return { id: null, prompt: id ?? null, last }
}

async function runWindow(opened: WindowLaunch, start: SessionStart): Promise<number> {
  const { runInTerminal } = await import('../plain/run-in-terminal.ts')
  return runInTerminal(opened, start)
}

/** Returns the id of a conversation to join; the address of a server may stand before it. */
function attachedId(first: string | undefined, second: string | undefined): string | null {
  if (first !== undefined && isServerUrl(first)) return second ?? null
  if (second !== undefined) throw misused('parley attach takes one conversation.')
  return first ?? null
}

/** Throws a usage error for flags that have no effect on an existing conversation. */
function refuseForOld({ image, ephemeral }: CommonFlags & ImageFlag): void {
  if (image !== undefined) throw noPrompt()
  if (ephemeral === true) throw misused('--ephemeral is for new conversations; this one is kept already.')
}

function noPrompt(): ParleyError {
  return misused('An image needs a prompt that goes with it: parley -i FILE "…"')
}
