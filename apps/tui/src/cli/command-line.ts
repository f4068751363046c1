import { Command, CommanderError, Option } from 'commander'
import type { Launch } from '../main.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type CommonFlags, collectConfig, collectList, type ExecFlags, parseDuration } from './flags.ts'

type Outcome = ExitCode | number

/** Parses the command line, runs the command and resolves to the exit code. Each command loads only what it needs. */
export async function runCommandLine(argv: readonly string[], launch: Launch): Promise<Outcome> {
  let outcome: Outcome = exitCodes.ok
  const settle = (run: Promise<Outcome>) =>
    run.then((code) => {
      outcome = code
    })
  const program = defineProgram(launch, settle)
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return outcome
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    throw error
  }
}

type Settle = (run: Promise<Outcome>) => Promise<void>

function defineProgram(launch: Launch, settle: Settle): Command {
  const program = new Command('parley')
    .description('A coding agent for the terminal whose conversations cannot be lost.')
    .version(launch.program.version, '-V, --version')
    .exitOverride()
    .showHelpAfterError('(see parley --help)')
    .argument('[prompt]', 'first message of a new interactive session')
    .enablePositionalOptions()
  withCommonFlags(program).action((prompt: string | undefined, flags: CommonFlags) =>
    settle(interactive(launch, { kind: 'new', prompt: prompt ?? null, flags })),
  )
  withCommonFlags(program.command('resume [id]'))
    .description('go on with a conversation: id, unique part of one, or name; a picker when nothing is given')
    .option('--last', 'the newest one, of this folder if there is one')
    .action((id: string | undefined, flags: CommonFlags & { last?: boolean }) =>
      settle(interactive(launch, { kind: 'resume', id: id ?? null, last: flags.last === true, flags })),
    )
  withCommonFlags(program.command('fork <id>'))
    .description('a new conversation from any point of an old one')
    .option('--at <seq>', 'the last event to take over', Number)
    .action((id: string, flags: CommonFlags & { at?: number }) =>
      settle(interactive(launch, { kind: 'fork', id, at: flags.at ?? null, flags })),
    )
  withCommonFlags(program.command('demo'))
    .description('a real session on a recorded model, in a scratch project: no key, no network')
    .action((flags: CommonFlags) => settle(import('../demo/run-demo.ts').then(({ runDemo }) => runDemo(launch, flags))))
  defineExec(program, launch, settle)
  defineLookups(program, launch, settle)
  return program
}

function defineExec(program: Command, launch: Launch, settle: Settle): void {
  const run = (prompt: string | undefined, flags: ExecFlags, resume: { id: string | null; last: boolean } | null) =>
    settle(
      import('../scripted/run-exec.ts').then(({ runExec }) =>
        runExec(launch, { prompt: prompt ?? null, flags, resume }),
      ),
    )
  const exec = withExecFlags(program.command('exec [prompt]').enablePositionalOptions())
    .description('one turn without a terminal; the prompt comes from the argument, or from stdin')
    .action((prompt: string | undefined, flags: ExecFlags) => run(prompt, flags, null))
  withExecFlags(exec.command('resume [id] [prompt]'))
    .description('one more turn of a conversation')
    .option('--last', 'the newest conversation; then the only argument is the prompt')
    .action((id: string | undefined, prompt: string | undefined, flags: ExecFlags & { last?: boolean }) => {
      const all = { ...exec.opts<ExecFlags>(), ...flags }
      return flags.last === true
        ? run(prompt ?? id, all, { id: null, last: true })
        : run(prompt, all, { id: id ?? null, last: false })
    })
}

function defineLookups(program: Command, launch: Launch, settle: Settle): void {
  program
    .command('list')
    .description('conversations, newest first')
    .option('--json', 'one JSON object a line')
    .option('--archived', 'the archived ones')
    .option('--limit <n>', 'how many', Number, 20)
    .action((flags: { json?: boolean; archived?: boolean; limit: number }) =>
      settle(import('./list.ts').then(({ runList }) => runList(launch, flags))),
    )
  withCommonFlags(program.command('config'))
    .description('the effective configuration, each value with its origin')
    .option('--json', 'as JSON')
    .action((flags: CommonFlags & { json?: boolean }) =>
      settle(import('./show-config.ts').then(({ showConfig }) => showConfig(launch, flags))),
    )
  program
    .command('server')
    .description('the conversation JSON-RPC server on stdio; docs/protocol describes it')
    .option('--record <file>', 'write down what models say, for playing back')
    .action((flags: { record?: string }) => settle(import('./serve.ts').then(({ serve }) => serve(launch, flags))))
}

function interactive(
  launch: Launch,
  start: Parameters<typeof import('../ink/run-interactive.tsx')['runInteractive']>[1],
): Promise<Outcome> {
  return import('../ink/run-interactive.tsx').then(({ runInteractive }) => runInteractive(launch, start))
}

function withCommonFlags(command: Command): Command {
  return command
    .option('-m, --model <model>', 'model to use')
    .option('-e, --effort <effort>', 'reasoning effort, e.g. low, medium, high')
    .addOption(
      new Option('-s, --sandbox <mode>', 'what commands may write to').choices([
        'read-only',
        'workspace-write',
        'danger-full-access',
      ]),
    )
    .addOption(
      new Option('-a, --ask-for-approval <policy>', 'when to ask').choices([
        'untrusted',
        'on-failure',
        'on-request',
        'never',
      ]),
    )
    .option('-C, --cd <dir>', 'folder to work in')
    .option('--add-dir <dir>', 'another writable folder (repeatable)', collectList)
    .option('-p, --profile <name>', 'a [profiles.NAME] of config.toml')
    .option('-c, --config <key=value>', 'a config value, as TOML or else a string (repeatable)', collectConfig)
    .option('--ephemeral', 'keep nothing of this conversation')
}

function withExecFlags(command: Command): Command {
  return withCommonFlags(command)
    .option('--json', 'events as JSON lines on stdout, the same as the server sends')
    .option('-o, --output <file>', 'write the final message to a file, only on success')
    .option('--policy <file>', 'rules that answer approvals; what they do not answer is denied')
    .option('--stdin', 'append stdin to the prompt')
    .option('--timeout <duration>', 'give up after this long: 90, 90s, 5m', parseDuration)
    .option('--record <file>', 'write down what the model says, for playing back')
}
