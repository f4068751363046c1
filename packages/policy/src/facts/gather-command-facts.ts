import {
  type EnvironmentFiles,
  type FoundProgram,
  findProgram,
  programNotFound,
  type SecretPaths,
} from '@parley/workspace'
import { findDanger } from '../decision/dangerous.ts'
import type { CommandFacts, CommandPart } from '../decision/facts.ts'
import { judgeKnownSafe, type SafeUse } from '../decision/known-safe.ts'
import { trustedBuiltins } from '../decision/shell-words.ts'
import type { ShellParser } from './parse-shell.ts'
import { type ArgvReading, readArgv, type ScriptCommand } from './read-argv.ts'
import { realRoots } from './real-roots.ts'
import { whereCommandsLead } from './where-commands-lead.ts'

export interface CommandCall {
  readonly tool: string
  readonly argv: readonly string[]
  /** Absolute. */
  readonly cwd: string
  readonly escalation: { readonly reason: string } | null
  readonly network?: { readonly reason: string }
  readonly background: boolean
}

export interface Surroundings {
  /** The writable folders, absolute; the conversation's own comes first. */
  readonly roots: readonly string[]
  /** The PATH the command will get. */
  readonly searchPath: string
  readonly secrets: SecretPaths
  readonly shell: ShellParser
  /** Of the machine that would run it. */
  readonly files: EnvironmentFiles
}

export interface JudgedCommand {
  readonly argv: readonly string[]
  readonly part: CommandPart
  readonly safeUse: SafeUse | null
}

const maxSeenKept = 1_000
const maxSeenWords = 32

/** Gathers all that policy may know about a command. Reads files' names and links, never what is in them. */
export async function gatherCommandFacts(call: CommandCall, given: Surroundings): Promise<CommandFacts> {
  const [roots, reading] = await Promise.all([realRoots(given.roots, given.files), readArgv(call.argv, given.shell)])
  const around = { ...given, roots }
  const programs = await findPrograms(reading, call.cwd, around)
  const judged = (reading.commands ?? []).map((command) => judgePart(command, programs))
  const objection = reading.because ?? objectionToShells(reading.shells, programs)
  const understood = objection === null && judged.length > 0
  const { notSafe, secret, reads } = await whereCommandsLead(judged, call.cwd, around)
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

/** By name as written: every command of the reading, and the shells. */
type Programs = ReadonlyMap<string, FoundProgram>

async function findPrograms({ commands, shells }: ArgvReading, cwd: string, around: Surroundings): Promise<Programs> {
  const names = new Set([...(commands ?? []).map(({ argv }) => argv[0] ?? ''), ...shells])
  return new Map(
    await Promise.all([...names].map(async (name) => [name, await findProgram({ name, cwd, ...around })] as const)),
  )
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
    programInsideRoots: program.insideRoots,
    knownSafe: safeUse !== null,
  }
  return { argv, part, safeUse }
}

/** A script means what we read only if the shell is a real one. */
function objectionToShells(shells: readonly string[], programs: Programs): string | null {
  for (const name of shells) {
    const { path, insideRoots } = programs.get(name) ?? programNotFound
    if (path === null) return `${name} is not found in the absolute entries of PATH`
    if (insideRoots) return `${name} is a file of the writable folders`
  }
  return null
}
