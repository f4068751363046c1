import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, configuredHooks, readEffectiveConfig } from '@parley/config'
import {
  type GuardKind,
  type GuardSurroundings,
  isWithin,
  openPathStandings,
  type PathStanding,
  rootOf,
  type StartedProgram,
} from '@parley/host'
import { orNull, programsByName } from '@parley/text'
import type { EnvironmentFiles } from './environment-files.ts'
import { whenUnknown } from './errors.ts'
import { isSecret, type SecretPaths } from './secret-paths.ts'

/** Standing of a path in an environment, secret places included. */
export interface Standing extends PathStanding {
  /** True where secrets are kept, by the path as written or by where it leads. */
  readonly isSecret: boolean
}

/** Examines paths of this machine, for a conversation that may write to `roots`. */
export async function standingsHere(
  paths: readonly string[],
  roots: readonly string[],
  surroundings: GuardSurroundings & { readonly secrets: SecretPaths },
): Promise<readonly Standing[]> {
  const { standingOf } = await openPathStandings(roots, surroundings, paths)
  return paths.map((path) => withSecrecy(standingOf(path), surroundings.secrets))
}

interface RemoteMachine {
  readonly files: Pick<EnvironmentFiles, 'realPath'>
  readonly secrets: SecretPaths
  /** Asks the exec-server why each path is kept as it is. */
  guardsOf(paths: readonly string[], roots: readonly string[]): Promise<readonly (GuardKind | null)[]>
}

/** Examines paths of another machine; its exec-server decides which are guarded. */
export async function standingsThere(
  paths: readonly string[],
  roots: readonly string[],
  { files, secrets, guardsOf }: RemoteMachine,
): Promise<readonly Standing[]> {
  const real = await Promise.all(paths.map((path) => files.realPath(path).catch(whenUnknown(null))))
  const guards = await guardsOf([...paths, ...paths.map((path, index) => real[index] ?? path)], roots)
  return paths.map((written, index) => {
    const at = real[index] ?? null
    const guard = guards[index] ?? guards[paths.length + index] ?? (at === null ? 'unknown' : null)
    return withSecrecy({ written, real: at, root: at === null ? null : rootOf(at, roots), guard, names: 1 }, secrets)
  })
}

function withSecrecy(standing: PathStanding, secrets: SecretPaths): Standing {
  const { written, real } = standing
  return { ...standing, isSecret: isSecret(written, secrets) || (real !== null && isSecret(real, secrets)) }
}

/** Returns whether a path is hidden by one of `masked`; a writable folder inside a hidden one stays visible. */
export function isMasked(path: string, masked: readonly string[], roots: readonly string[]): boolean {
  const over = masked.filter((secret) => isWithin(path, secret))
  return over.some((secret) => !roots.some((root) => isWithin(root, secret) && isWithin(path, root)))
}

/** Folders of `$PARLEY_HOME` with files that affect which programs may run. */
const trustedFolders = ['trust', 'cache']

/**
 * Lists `$PARLEY_HOME`, and its entries that can be changed from elsewhere: links, not followed, and files with further
 * names. Users link settings into a repository, so the targets of links need the same protection.
 */
export function ownFiles(home: string): readonly string[] {
  const shared = ['', ...trustedFolders].flatMap((folder) => sharedIn(join(home, folder)))
  return [...(isThere(home) ? [home] : []), ...shared]
}

function sharedIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    const shared = entries.filter(
      (entry) => entry.isSymbolicLink() || (entry.isFile() && hasFurtherNames(folder, entry)),
    )
    return shared.map(({ name }) => join(folder, name))
  } catch {
    return []
  }
}

function hasFurtherNames(folder: string, { name }: Dirent): boolean {
  return (lstatSync(join(folder, name), { throwIfNoEntry: false })?.nlink ?? 1) > 1
}

const lastPrograms = new Map<string, readonly StartedProgram[]>()

/**
 * Lists the commands that parley starts by the user's own `config.toml` (tool servers, hooks, `notify`, the status
 * line) and its own programs. While the file cannot be read, the earlier settings count.
 */
export function ownPrograms(home: string): readonly StartedProgram[] {
  try {
    const {
      mcp_servers: servers = {},
      hooks,
      notify = [],
      tui = {},
    } = readEffectiveConfig({ home, isWhole: true }).values
    const programs: readonly StartedProgram[] = [
      ...Object.values(servers).map(({ command = '', args = [], cwd = '.', env = {} }) => ({
        words: [command, ...args],
        cwd,
        ...(env['PATH'] === undefined ? {} : { searchPath: env['PATH'] }),
      })),
      // Also hooks inside the sandbox: calls that they forbid must stay forbidden.
      ...configuredHooks(hooks).map(({ command }) =>
        typeof command === 'string' ? { line: command, cwd: '.' } : { words: command, cwd: '.' },
      ),
      // These run in the root of the file system.
      ...[notify, tui.status_line ?? [], ...programsByName.map((name) => [name])].map((words) => ({ words, cwd: '/' })),
    ]
    lastPrograms.set(home, programs)
    return programs
  } catch (error) {
    if (error instanceof ConfigError) return lastPrograms.get(home) ?? []
    throw error
  }
}

function isThere(path: string): boolean {
  return orNull(() => lstatSync(path, { throwIfNoEntry: false }) !== undefined) ?? false
}
