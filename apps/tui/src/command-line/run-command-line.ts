import { isServerUrl } from '@parley/client/named-servers'
import type { Failure } from '@parley/protocol'
import { Argument, Command, CommanderError } from 'commander'
import { type ExitCode, exitCodeOf, exitCodes, misused, ParleyError } from '../cli/exit-codes.ts'
import { type CommonFlags, type ImageFlag, parseCount } from '../cli/flags.ts'
import type { Streams } from '../cli/launch-server.ts'
import { expectedFailure, refuseSlips, unknownCommand } from '../cli/messages.ts'
import { writeFailure } from '../cli/run-ended.ts'
import type { WindowLaunch } from '../ink/run-interactive.ts'
import { showEffects } from '../view/text/control-characters.ts'
import { type CompletionShell, completionScript, completionShells } from './completion.ts'
import { defineExec } from './define-exec.ts'
import { defineKept } from './define-kept.ts'
import { defineLogin } from './define-login.ts'
import {
  defineBundles,
  defineChecks,
  defineHistory,
  defineLookups,
  defineProviders,
  defineReplay,
  defineRescue,
} from './define-lookups.ts'
import { defineOwnCopy } from './define-own-copy.ts'
import { definePeople } from './define-people.ts'
import { defineServers, defineWeb } from './define-servers.ts'
import { refuseUnclearConfig } from './flags-of-others.ts'
import { addOverview, shortHelp } from './overview.ts'
import { flagsOf, type Settle, withCommonFlags, withImages, withPlain, withServer } from './shared-options.ts'
import { sayUsageError, usageSentence } from './usage-errors.ts'

/** Parses the command line, runs the command and resolves to the exit code. Each command loads only its own modules. */
export async function runCommandLine(argv: readonly string[], opened: WindowLaunch): Promise<number> {
  const { stdout, stderr } = opened.launch.streams
  let outcome: number = exitCodes.ok
  const usage = { command: 'parley' }
  const settle = async (run: Promise<number>) => {
    outcome = await run
  }
  const program = defineProgram(opened, settle, usage)
  try {
    refuseUnclearConfig(argv)
    await program.parseAsync([...argv], { from: 'user' })
    return outcome
  } catch (error) {
    opened.window?.[Symbol.dispose]()
    const ending = endingOf(error, usage)
    if (ending === null) throw error
    if (ending.exitCode === exitCodes.ok) return ending.exitCode
    const { code, message: words, exitCode } = ending
    const say = (message: string) => {
      // Commander has printed its own message.
      if (!(error instanceof CommanderError)) stderr.write(`parley: ${showEffects(message)}\n`)
    }
    await writeFailure(argv, { failure: { code, message: words }, exitCode }, { say, stdout })
    return exitCode
  }
}

/** Command whose words or flags were wrong, as `parley list`. */
interface FailedUsage {
  command: string
}

/** Has errors name the help of their command. Called last: commands take their output from the program when they are defined. */
function nameHelp(command: Command, words: string, usage: FailedUsage): void {
  command.configureOutput({
    outputError(text, write) {
      usage.command = words
      write(sayUsageError(text, words))
    },
  })
  for (const inner of command.commands) nameHelp(inner, `${words} ${inner.name()}`, usage)
}

/** Returns the failure and the exit code of an expected error; null for a bug. */
function endingOf(error: unknown, usage: FailedUsage): (Failure & { readonly exitCode: ExitCode }) | null {
  if (error instanceof ParleyError) return { code: error.code, message: error.message, exitCode: error.exitCode }
  if (error instanceof CommanderError) {
    const exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    return { code: 'usage', message: usageSentence(error.message, usage.command), exitCode }
  }
  const failure = expectedFailure(error)
  return failure === null ? null : { ...failure, exitCode: exitCodeOf(failure.code) }
}

type Start = Parameters<typeof import('../ink/run-interactive.ts')['runInteractive']>[1]

/** Defines every command of the program. `settle` takes the exit code of the command that runs. */
function defineProgram(opened: WindowLaunch, settle: Settle, usage: FailedUsage): Command {
  const { launch, window } = opened
  const writeTo = (stream: 'stdout' | 'stderr') => (text: string) => {
    window?.[Symbol.dispose]()
    // An error quotes words of the command line, which may come from anywhere.
    launch.streams[stream].write(stream === 'stderr' ? showEffects(text) : text)
  }
  const program = new Command('parley')
    .description('A coding agent for the terminal whose conversations cannot be lost.')
    .version(launch.program.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureHelp(shortHelp)
    .configureOutput({
      writeOut: writeTo('stdout'),
      writeErr: writeTo('stderr'),
    })
    .exitOverride()
    .argument('[prompt]', 'first message of a new interactive session')
    .enablePositionalOptions()
  defineConversations(program, opened, settle)
  defineExec(program, launch, settle)
  defineKept(program, launch, settle)
  defineLookups(program, launch, settle)
  defineHistory(program, launch, settle)
  defineBundles(program, launch, settle)
  defineReplay(program, launch, settle)
  defineRescue(program, launch, settle)
  defineProviders(program, launch, settle)
  defineChecks(program, launch, settle)
  defineLogin(program, launch, settle)
  definePeople(program, launch, settle)
  defineServers(program)
  defineWeb(program, launch, settle)
  defineOwnCopy(program, launch, settle)
  defineCompletion(program, launch.streams)
  defineHelp(program)
  addOverview(program)
  nameHelp(program, 'parley', usage)
  // Set last, because commands inherit it.
  return program.allowExcessArguments()
}

/** Defines `completion`, whose script comes from the commands that are defined by then. */
function defineCompletion(program: Command, { stdout }: Pick<Streams, 'stdout'>): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'your shell').choices(completionShells))
    .description('print a script that completes the words of parley: docs/install.md says where each shell reads it')
    .action((shell: CompletionShell) => {
      stdout.write(completionScript(shell, program))
    })
}

/** Defines `help`: Commander's own prints the whole help for an unknown name, without an error. */
function defineHelp(program: Command): void {
  program
    .command('help [command]')
    .description('print the help of a command')
    .action((name: string | undefined) => {
      const command = name === undefined ? program : program.commands.find((known) => known.name() === name)
      if (command === undefined) throw unknownCommand(name ?? '', program)
      command.help()
    })
}

function defineConversations(program: Command, opened: WindowLaunch, settle: Settle): void {
  const interactive = (start: Start) => settle(runWindow(opened, start))
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
      return interactive({ kind: 'resume', ...resumedBy({ id, prompt, last: flags.last === true }), flags })
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

interface ResumeWords {
  readonly id: string | undefined
  readonly prompt: string | undefined
  readonly last: boolean
}

/** Returns the conversation that is resumed, and a first message. With `--last` the first word is the message. */
function resumedBy({ id, prompt, last }: ResumeWords): { id: string | null; prompt: string | null; last: boolean } {
  if (!last) return { id: id ?? null, prompt: prompt ?? null, last }
  if (prompt !== undefined) throw misused('Give an id or --last, not both.')
  if (id !== undefined && !/\s/.test(id))
    throw misused(
      '--last and --continue go on with the newest conversation, so no id goes with them. A message needs more than one word here; type a shorter one in the window.',
    )
  return { id: null, prompt: id ?? null, last }
}

async function runWindow(opened: WindowLaunch, start: Start): Promise<number> {
  const { runInTerminal } = await import('../plain/run-in-terminal.ts')
  return runInTerminal(opened, start)
}

/** Returns the id of a conversation to join, which may stand behind the address of a server. */
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
