import { type FoundProgram, findProgram, programNotFound } from '@parley/workspace'
import { findDanger } from '../decision/kinds/command/dangerous.ts'
import type { CommandFacts, SandboxRequest } from '../decision/kinds/command/facts.ts'
import { judgeKnownSafe, trustedBuiltins } from '../decision/kinds/command/known-safe.ts'
import { type ArgvReading, readArgv, type ScriptCommand } from '../shell/read-argv.ts'
import { type CommandSurroundings, followCommandPaths, type JudgedCommand } from './command-paths.ts'
import { withRealPaths } from './gather-file-facts.ts'

export interface CommandCall {
  readonly tool: string
  readonly argv: readonly string[]
  /** Absolute path. */
  readonly cwd: string
  readonly escalation: SandboxRequest | null
  readonly network?: SandboxRequest
  readonly background: boolean
}

const maxSeenKept = 1_000
const maxSeenWords = 32

/** Gathers all facts about a command. Reads names and links of files, never their content. */
export async function gatherCommandFacts(call: CommandCall, given: CommandSurroundings): Promise<CommandFacts> {
  const [roots, reading] = await Promise.all([
    withRealPaths(given.roots, given.files),
    readArgv(call.argv, given.shell),
  ])
  const around = { ...given, roots }
  const programs = await findPrograms(reading, call.cwd, around)
  const judged = (reading.commands ?? []).map((command) => judgePart(command, programs))
  const objection = reading.because ?? objectionToShells(reading.shells, programs)
  const understood = objection === null && judged.length > 0
  const { notSafe, secret, reads } = await followCommandPaths(judged, call.cwd, around)
  const parts = judged.map((command) => (notSafe.has(command) ? { ...command.part, knownSafe: false } : command.part))
  return {
    kind: 'command',
    tool: call.tool,
    argv: call.argv,
    script: reading.script,
    understood,
    ...(objection === null ? {} : { notUnderstoodBecause: objection }),
    parts: understood ? parts : [],
    seen: reading.seen.slice(0, maxSeenKept).map((command) => command.slice(0, maxSeenWords)),
    dangerous: findDanger(reading.seen, reading.script ?? ''),
    knownSafe: understood && secret === null && parts.every((part) => part.knownSafe),
    touchesSecret: secret,
    reads,
    cwd: call.cwd,
    workspace: given.roots[0] ?? call.cwd,
    escalation: call.escalation,
    ...(call.network === undefined ? {} : { network: call.network }),
    background: call.background,
  }
}

/** Programs of all commands and shells of a reading, by name as written. */
type Programs = ReadonlyMap<string, FoundProgram>

async function findPrograms(
  { commands, shells }: ArgvReading,
  cwd: string,
  { searchPath, roots, files }: CommandSurroundings,
): Promise<Programs> {
  const names = new Set([...(commands ?? []).map(({ argv }) => argv[0] ?? ''), ...shells])
  const find = (name: string) => findProgram({ name, cwd, searchPath, roots, files })
  return new Map(await Promise.all([...names].map(async (name) => [name, await find(name)] as const)))
}

function judgePart({ argv, byShell }: ScriptCommand, programs: Programs): JudgedCommand {
  const [name = ''] = argv
  const program = programs.get(name) ?? programNotFound
  const trusted = (byShell && trustedBuiltins.has(name)) || (program.path !== null && !program.insideRoots)
  const safeUse = trusted && !name.includes('/') ? judgeKnownSafe(argv) : null
  const part = {
    argv,
    program: name,
    programPath: program.path,
    ...(program.insideRoots && program.real !== undefined ? { programReal: program.real } : {}),
    programInsideRoots: program.insideRoots,
    knownSafe: safeUse !== null,
  }
  return { argv, part, safeUse }
}

/** Returns why the shells cannot be trusted to run the script as it was read, or null. */
function objectionToShells(shells: readonly string[], programs: Programs): string | null {
  for (const name of shells) {
    const { path, insideRoots } = programs.get(name) ?? programNotFound
    if (path === null) return `${name} is not found in the absolute entries of PATH`
    if (insideRoots) return `${name} is a file of the writable folders`
  }
  return null
}
