import { showEffects } from '@parley/presentation/text/control-characters'
import type { Failure } from '@parley/protocol'
import { Argument, Command, CommanderError } from 'commander'
import { type ExitCode, exitCodeOf, exitCodes, ParleyError } from '../cli/exit-codes.ts'
import type { Streams } from '../cli/launch-server.ts'
import { expectedFailure, unknownCommand } from '../cli/messages.ts'
import { writeFailure } from '../cli/run-ended.ts'
import type { WindowLaunch } from '../ink/run-interactive.ts'
import { type CompletionShell, completionScript, completionShells } from './completion.ts'
import { defineConversations } from './define-conversations.ts'
import { defineExec } from './define-exec.ts'
import { defineKept } from './define-kept.ts'
import { defineLogin } from './define-login.ts'
import { defineLookups } from './define-lookups.ts'
import { defineOwnCopy } from './define-own-copy.ts'
import { definePeople } from './define-people.ts'
import { defineServers, defineWeb } from './define-servers.ts'
import { addOverview, shortHelp } from './overview.ts'
import type { Settle } from './shared-options.ts'
import { refuseUnclearConfig, sayUsageError, usageSentence } from './usage-errors.ts'

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

/** Command with wrong words or flags, such as `parley list`. */
interface FailedUsage {
  command: string
}

/** Makes errors name the help of their command. Called last, because commands copy the output settings when they are defined. */
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

/** Defines every command of the program. `settle` takes the exit code of the command that runs. */
function defineProgram(opened: WindowLaunch, settle: Settle, usage: FailedUsage): Command {
  const { launch, window } = opened
  const writeTo = (stream: 'stdout' | 'stderr') => (text: string) => {
    window?.[Symbol.dispose]()
    // An error quotes words of the command line, which may contain anything.
    launch.streams[stream].write(stream === 'stderr' ? showEffects(text) : text)
  }
  const program = new Command('parley')
    .description('A coding agent for the terminal whose conversations cannot be lost.')
    .version(launch.program.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureHelp(shortHelp)
    .configureOutput({ writeOut: writeTo('stdout'), writeErr: writeTo('stderr') })
    .exitOverride()
    .argument('[prompt]', 'first message of a new interactive session')
    .enablePositionalOptions()
  defineConversations(program, opened, settle)
  defineExec(program, launch, settle)
  defineKept(program, launch, settle)
  defineLookups(program, launch, settle)
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

/** Defines `completion`. Its script contains the commands that are defined before it runs. */
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
