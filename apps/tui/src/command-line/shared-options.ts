import { approvalPolicies, efforts, modeNames, sandboxModes } from '@parley/protocol'
import { type Command, Option } from 'commander'
import { collectConfig, collectFiles, collectList, colourChoices, named } from '../cli/flags.ts'
import { withCodexFlags } from './codex-flags.ts'

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

/** Adds the flags by which a command goes to servers that run already. They are read before the command line is parsed. */
export function withServer(command: Command): Command {
  return withServerAddress(command).option(
    '--token-file <file>',
    'with --server: its token; else $PARLEY_SERVER_TOKEN, or server-token in the home',
    named,
  )
}

/** Adds the flags that name servers, without the one of the token. */
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

/** Adds the flag of every command that has the terminal for a conversation. */
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

/** Returns a command's flags with those before its name: `parley -m x exec …` is `parley exec -m x …`. */
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
