import { approvalPolicies, efforts, modeNames, sandboxModes } from '@parley/protocol'
import { type Command, Option } from 'commander'
import { collectConfig, collectFiles, collectList, colourChoices, named } from '../cli/flags.ts'

/** Takes the exit code of a command. */
export type Settle = (run: Promise<number>) => Promise<void>

function sandboxOption(): Option {
  return new Option('-s, --sandbox <mode>', 'what commands may write to').choices(sandboxModes)
}

function approvalOption(): Option {
  return new Option('-a, --ask-for-approval <policy>', 'when to ask').choices(approvalPolicies)
}

function modeOption(): Option {
  return new Option('--mode <mode>', 'what -s and -a say, in one word').choices(modeNames)
}

function effortOption(): Option {
  return new Option(
    '-e, --effort <effort>',
    'reasoning effort; for other words of a provider use -c model_reasoning_effort=WORD',
  ).choices(efforts)
}

/** Returns the flag that goes to the server before the command line is parsed. */
export function safeOption(): Option {
  return new Option(
    '--safe',
    'start without configuration, plug-ins, hooks and servers; what reaches a model and what limits stays',
  )
}

/** Adds the flags that decide how a call is judged. */
export function withJudgingFlags(command: Command): Command {
  return command
    .addOption(sandboxOption())
    .addOption(approvalOption())
    .option('-C, --cd <dir>', 'folder the command would run in', named)
    .option('--add-dir <dir>', 'another writable folder (repeatable)', collectList)
    .option('-p, --profile <name>', 'a [profiles.NAME] of config.toml', named)
    .option('-c, --config <key=value>', 'a config value, as TOML or else a string (repeatable)', collectConfig)
}

/** Adds the flags that send a command to running servers. They are read before the command line is parsed. */
export function withServer(command: Command): Command {
  return withServerAddress(command).option(
    '--token-file <file>',
    'with --server: its token; else $PARLEY_SERVER_TOKEN, or server-token in the home',
    named,
  )
}

/** Adds the flags that name servers, without the flag of the token. */
export function withServerAddress(command: Command): Command {
  return command
    .option(
      '--server <urls>',
      'wss://HOST:PORT of a server, or of several with commas between, instead of one here',
      named,
    )
    .option('--ca-file <file>', 'with --server: authorities that sign its certificate, as PEM', named)
    .option('--allow-unencrypted', 'with --server: ws:// also to other machines; whoever is on the way reads all of it')
}

/** Adds the flags of every command with a conversation. */
export function withCommonFlags(command: Command): Command {
  return withCodexFlags(withServer(command))
    .option('-m, --model <model>', 'model to use', named)
    .addOption(effortOption())
    .addOption(modeOption())
    .addOption(sandboxOption())
    .addOption(approvalOption())
    .option('-C, --cd <dir>', 'folder to work in', named)
    .option(
      '--environment <name>',
      'work on the machine of an [environments.NAME] of config.toml; `local` for this one',
      named,
    )
    .option('--add-dir <dir>', 'another writable folder (repeatable)', collectList)
    .option(
      '--allow-secret-folder <dir>',
      'allow this folder for -C and --add-dir although secrets are kept in it (repeatable)',
      collectList,
    )
    .option('-p, --profile <name>', 'a [profiles.NAME] of config.toml', named)
    .option('-c, --config <key=value>', 'a config value, as TOML or else a string (repeatable)', collectConfig)
    .addOption(safeOption())
    .option('--ephemeral', 'keep nothing of this conversation')
}

/** Adds the flags of commands that use the terminal for a conversation. */
export function withPlain(command: Command): Command {
  return command
    .option('--plain', 'print lines and move no cursor, as for a screen reader; also with TERM=dumb')
    .addOption(
      new Option('--color <when>', 'colours; in plain lines there are none unless asked for').choices(colourChoices),
    )
}

/** Adds the flag for images of a prompt. */
export function withImages(command: Command): Command {
  return command.option('-i, --image <file>', 'an image for the prompt (repeatable, or with commas)', collectFiles)
}

/** Adds flags of Codex for features with another name here. They are not in the help. */
function withCodexFlags(command: Command): Command {
  command.on('option:yolo', () => command.setOptionValue('dangerouslyBypassApprovalsAndSandbox', true))
  return command
    .addOption(hidden('--dangerously-bypass-approvals-and-sandbox', '-s danger-full-access -a never'))
    .addOption(hidden('--yolo', 'the same'))
    .addOption(hidden('--full-auto', '-s workspace-write -a on-request'))
    .addOption(hidden('--oss', '-c model_provider=ollama'))
    .addOption(hidden('--local-provider <name>', '-c model_provider=NAME').argParser(named))
}

/** Adds flags of `codex exec` that callers give and that change nothing here. They are not in the help. */
export function withCodexExecFlags(command: Command): Command {
  return command
    .addOption(hidden('--color <when>', 'nothing that exec writes is coloured').choices(colourChoices))
    .addOption(hidden('--enable <feature>', 'a feature of Codex').argParser(collectList))
    .addOption(hidden('--disable <feature>', 'a feature of Codex').argParser(collectList))
    .addOption(hidden('--cyber-access-program <name>', 'for callers of Codex; it has no effect here'))
}

function hidden(flags: string, meaning: string): Option {
  return new Option(flags, meaning).hideHelp()
}

/** Returns a command's flags with the flags before its name: `parley -m x exec …` is `parley exec -m x …`. */
export function flagsOf<Flags extends object>(command: Command): Flags {
  const own = command.opts<Flags>()
  return command.parent === null ? own : { ...flagsOf<Flags>(command.parent), ...own, ...collected(command) }
}

/** Collects repeatable flags from every level: `exec -c a=1 resume ID -c b=2`. */
function collected(command: Command): object {
  const above = command.parent === null ? {} : flagsOf<Collections>(command.parent)
  const { config, addDir, image } = command.opts<Collections>()
  return {
    ...(config === undefined ? {} : { config: { ...above.config, ...config } }),
    ...(addDir === undefined ? {} : { addDir: [...(above.addDir ?? []), ...addDir] }),
    ...(image === undefined ? {} : { image: [...(above.image ?? []), ...image] }),
  }
}

interface Collections {
  readonly config?: Record<string, string>
  readonly addDir?: string[]
  readonly image?: string[]
}
