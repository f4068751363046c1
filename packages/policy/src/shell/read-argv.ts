import type { SeenCommand } from '../decision/kinds/command/facts.ts'
import { innerCommands, innerScripts, isShell } from '../decision/kinds/command/reached-commands.ts'
import type { ShellParser } from './parse-shell.ts'

export interface ArgvReading {
  /** Text passed to the shell; null without a shell. */
  readonly script: string | null
  /** Every command that would run; null when the command is not understood. */
  readonly commands: readonly ScriptCommand[] | null
  readonly because: string | null
  readonly seen: readonly SeenCommand[]
  /** Shells that would run the scripts, as written. */
  readonly shells: readonly string[]
}

export interface ScriptCommand {
  readonly argv: readonly string[]
  /** True when a shell runs it: builtins then come before programs. */
  readonly byShell: boolean
}

const shellNames = new Set(['bash', 'sh', 'zsh'])
const shellPath = /^(?:\/usr)?\/bin\/(?:bash|sh|zsh)$/
const maxNesting = 4
// More commands than a script within the limits can contain, so that padding hides nothing.
const maxSeen = 20_000

/**
 * Splits a command into the commands that it runs: the script of a shell, and the scripts of shells within it to one
 * level.
 */
export async function readArgv(argv: readonly string[], parser: ScriptReader): Promise<ArgvReading> {
  const shell = cachedReader(parser)
  const seen = await findSeenCommands([argv], shell)
  const script = scriptOf(argv)
  if (script !== null) {
    const reading = await commandsOfScript(script, shell, 1)
    return {
      script,
      seen,
      commands: reading.commands,
      because: reading.because,
      shells: [argv[0] ?? '', ...reading.shells],
    }
  }
  const because = objectionToArgv(argv)
  const scriptLike = innerScripts(argv)[0] ?? null
  return {
    script: scriptLike,
    seen,
    commands: because === null ? [{ argv, byShell: false }] : null,
    because,
    shells: [],
  }
}

/** Caches readings, since each script is parsed twice: for the commands seen and for the commands understood. */
function cachedReader(parser: ScriptReader): ScriptReader {
  const known = new Map<string, ReturnType<ShellParser['read']>>()
  return {
    read(script) {
      const reading = known.get(script) ?? parser.read(script)
      known.set(script, reading)
      return reading
    },
  }
}

type ScriptReader = Pick<ShellParser, 'read'>
type NestedCommands = Pick<ArgvReading, 'commands' | 'because' | 'shells'>

async function commandsOfScript(script: string, shell: ScriptReader, deeper: number): Promise<NestedCommands> {
  const reading = await shell.read(script)
  if (reading.commands === null) return { commands: null, because: reading.because, shells: [] }
  const commands: ScriptCommand[] = []
  const shells: string[] = []
  for (const argv of reading.commands) {
    const inner = scriptOf(argv)
    if (inner === null && !isShell(argv[0] ?? '')) {
      commands.push({ argv, byShell: true })
      continue
    }
    if (inner === null || deeper === 0) return { commands: null, because: 'a shell starts another shell', shells: [] }
    const nested = await commandsOfScript(inner, shell, deeper - 1)
    if (nested.commands === null) return nested
    for (const command of nested.commands) commands.push(command)
    for (const name of [argv[0] ?? '', ...nested.shells]) shells.push(name)
  }
  return { commands, because: null, shells }
}

/** Returns the script of exactly `bash -c script`, since further words are its parameters. */
function scriptOf(argv: readonly string[]): string | null {
  const [program = '', option, script] = argv
  if (argv.length !== 3 || script === undefined) return null
  if (!shellNames.has(program) && !shellPath.test(program)) return null
  return option === '-c' || option === '-lc' ? script : null
}

function objectionToArgv(argv: readonly string[]): string | null {
  if (argv.length === 0 || argv[0] === '') return 'it is empty'
  if (isShell(argv[0] ?? '')) return 'the shell is started in a way that is not read'
  return argv.some((word) => /[\u0000-\u0008\u000b-\u001f\u007f]/.test(word)) ? 'it contains control characters' : null
}

/** Returns the commands inside wrappers and nested scripts, outermost first, up to limits of depth and number. */
async function findSeenCommands(start: readonly SeenCommand[], shell: ScriptReader): Promise<SeenCommand[]> {
  let all: SeenCommand[] = []
  let level = start
  for (let depth = 0; depth < maxNesting && level.length > 0 && all.length < maxSeen; depth++) {
    const reached = level.concat(level.flatMap(innerCommands))
    all = all.concat(reached)
    const scripts = new Set(reached.flatMap(innerScripts))
    const readings = await Promise.all([...scripts].map((script) => shell.read(script)))
    level = readings.flatMap(({ seen, fed }) => seen.concat(fed.map((text) => ['sh', '-c', text])))
  }
  return [...new Map(all.map((command) => [JSON.stringify(command), command])).values()]
}
