import { readdir } from 'node:fs/promises'
import type { Guard } from '@parley/host'
import { aboveSandboxCeiling, type SandboxMode, type SandboxPermissions } from '@parley/protocol'
import { isSecret, liesWithin, type SecretPaths } from '@parley/workspace'
import { fileFailure, machineErrors } from '../wire/requests.ts'
import type { SandboxPolicy } from './read-policy.ts'

/** Most that the owner of an exec-server allows its clients. All paths are real. */
export interface MachineCeiling {
  readonly maxSandbox: SandboxMode
  /** Writable folders; without effect in `danger-full-access`, and empty in `read-only`. */
  readonly writable: readonly string[]
  /** Folders that may be read, and where processes may start; null for all. */
  readonly readable: readonly string[] | null
  /** True where clients may connect to ports on which sandboxed processes listen. */
  readonly ports: boolean
  /** True where sandboxed processes may use unix sockets, which lead to services of the machine. */
  readonly unixSockets: boolean
}

/** Ceiling of an exec-server that gives clients all rights of its user. */
export const noCeiling: MachineCeiling = {
  ...{ maxSandbox: 'danger-full-access', writable: [], readable: null },
  ...{ ports: true, unixSockets: true },
}

/** Throws for a sandbox mode or unix sockets above the ceiling. The network of processes has no ceiling here. */
function assertUnderCeiling(request: Omit<SandboxPermissions, 'network'>, ceiling: MachineCeiling): void {
  const { maxSandbox, unixSockets } = ceiling
  const excess = aboveSandboxCeiling(request, { sandbox: maxSandbox, network: true, unixSockets })
  if (excess === 'sandbox' && request.sandbox !== undefined)
    throw machineErrors.aboveCeiling(maxSandbox, request.sandbox)
  if (excess === 'unixSockets') throw machineErrors.unixSocketsNotAllowed()
}

/** Fields of a policy with limits. */
type ConfinedPolicy = Omit<Extract<SandboxPolicy, { kind: 'confined' }>, 'kind'>

/** Compares one field of a policy with the ceiling; throws the error that a client gets. */
type CeilingCheck<Field extends keyof ConfinedPolicy> = (
  policy: Pick<ConfinedPolicy, Field>,
  ceiling: MachineCeiling,
) => void

/** Folders are judged by their real paths, once these are known: `assertPlaces`. */
const judgedAsPlaces = () => undefined
/** Only makes the sandbox stricter, or is shared with processes of the same session and limits. */
const givesNothing = () => undefined
/** The owner's flags do not limit it. */
const notLimited = () => undefined

/** Check of each field of a policy; a new field without an entry does not compile. */
const checks: { readonly [Field in keyof ConfinedPolicy]: CeilingCheck<Field> } = {
  mode: ({ mode }, ceiling) => assertUnderCeiling({ sandbox: mode }, ceiling),
  unixSockets: ({ unixSockets }, ceiling) => assertUnderCeiling({ unixSockets }, ceiling),
  network: notLimited,
  writableRoots: judgedAsPlaces,
  cwd: judgedAsPlaces,
  masked: givesNothing,
  loopback: givesNothing,
}

/** Throws the error that a client gets for a policy above the ceiling; null is a policy without limits. */
export function assertPolicyUnderCeiling(policy: ConfinedPolicy | null, ceiling: MachineCeiling): void {
  if (policy === null) assertUnderCeiling({ sandbox: 'danger-full-access' }, ceiling)
  else for (const check of Object.values(checks)) check(policy, ceiling)
}

/** Folder as a client names it, and its real path. */
export interface NamedFolder {
  readonly asked: string
  readonly real: string
}

interface ProcessPlaces {
  readonly mode: 'read-only' | 'workspace-write'
  /** Folders that the client names as writable, in `read-only` as visible. */
  readonly roots: readonly NamedFolder[]
  /** Working folder; null for a copy of files that the exec-server has made itself. */
  readonly cwd: NamedFolder | null
}

/** Throws `outsideRoots` for a process that would write, or start, where the ceiling does not let it. */
export function assertPlaces({ mode, roots, cwd }: ProcessPlaces, ceiling: MachineCeiling): void {
  const { writable, readable } = ceiling
  const allowed = mode === 'workspace-write' && ceiling.maxSandbox !== 'danger-full-access' ? writable : readable
  for (const root of roots) assertAmong(root, allowed)
  if (cwd !== null) assertAmong(cwd, readable)
}

/** Throws `outsideRoots` for a folder that may not be read. */
export function assertReadablePlace(place: NamedFolder, { readable }: MachineCeiling): void {
  assertAmong(place, readable)
}

function assertAmong({ asked, real }: NamedFolder, folders: readonly string[] | null): void {
  if (folders !== null && !isAmong(real, folders)) throw machineErrors.outsideRoots(asked)
}

function isAmong(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => liesWithin(path, folder))
}

/** Names at `/` of what programs need. */
const systemNames = /^(?:app|Applications|bin|etc|gnu|lib|lib\d+|libx32|Library|nix|opt|sbin|snap|System|usr)$/
/** Names at `/` that a sandbox makes anew or limits by itself. */
const limitedNames = /^(?:dev|private|proc|run|sys)$/
/** Names in /run of what programs need: their search path on some systems, and the resolution of names. */
const neededInRun = /^(?:booted-system|current-system|NetworkManager|nscd|opengl-driver.*|resolvconf|systemd|wrappers)$/

/**
 * Resolves to the folders to hide so that processes read only readable folders and the system. `hasOwnTmp`: the sandbox
 * gives them a /tmp of their own.
 */
export async function hiddenAround(
  { readable }: Pick<MachineCeiling, 'readable'>,
  hasOwnTmp: boolean,
): Promise<readonly string[]> {
  if (readable === null) return []
  const isNeeded = (name: string) => systemNames.test(name) || limitedNames.test(name) || (hasOwnTmp && name === 'tmp')
  const hidden = (await readdir('/')).filter((name) => !isNeeded(name))
  return [...hidden.map((name) => `/${name}`), ...(await hiddenInRun())]
}

/** Resolves to what services and people keep in /run, which no program needs. A link is left: its target is hidden or not. */
async function hiddenInRun(): Promise<readonly string[]> {
  const found = await readdir('/run', { withFileTypes: true }).catch(() => [])
  const hidden = found.filter((entry) => !entry.isSymbolicLink() && !neededInRun.test(entry.name))
  return hidden.map(({ name }) => `/run/${name}`)
}

/** Returns true for a path of the system, which processes can read under any ceiling. */
function isOfSystem(path: string): boolean {
  return systemNames.test(path.split('/')[1] ?? '')
}

/** Limits for file operations. The functions take real paths and throw the error that a client gets. */
export interface FileLimits {
  /** Throws where the client may not know the entry at a path. */
  assertVisible(real: string): void
  assertReadable(real: string): void
  assertWritable(real: string): Promise<void>
  /** Judges all paths that a request makes in one step, before it makes the first. */
  assertAllWritable(reals: readonly string[]): Promise<void>
}

/**
 * Returns what file operations may do at most; null where the ceiling limits nothing. `guard` resolves with the check for
 * protected files below folders.
 */
export function ownFileLimits(
  ceiling: MachineCeiling,
  secrets: SecretPaths,
  guard: (roots: readonly string[]) => Promise<Guard>,
): FileLimits | null {
  const { maxSandbox, writable, readable } = ceiling
  if (maxSandbox === 'danger-full-access') return null
  const assertNoSecret = (real: string) => {
    if (isSecret(real, secrets)) throw fileFailure('EACCES', real, 'this machine does not let it be read')
  }
  const assertReadable = (real: string) => {
    assertAmong({ asked: real, real }, readable)
    assertNoSecret(real)
  }
  const assertAllWritable = async (reals: readonly string[]) => {
    for (const real of reals) {
      assertUnderCeiling({ sandbox: 'workspace-write' }, ceiling)
      assertAmong({ asked: real, real }, writable)
      assertReadable(real)
    }
    const guardOf = await guard(writable)
    const kept = reals.find((real) => guardOf(real) !== null)
    if (kept !== undefined)
      throw fileFailure('EROFS', kept, 'this machine keeps it as it is, since programs read it as settings or run it')
  }
  return {
    assertVisible(real) {
      if (!isOfSystem(real)) assertAmong({ asked: real, real }, readable)
      assertNoSecret(real)
    },
    assertReadable,
    assertWritable: (real) => assertAllWritable([real]),
    assertAllWritable,
  }
}

/** Returns limits that allow only what both allow. */
export function bothLimits(one: FileLimits | null, other: FileLimits | null): FileLimits | null {
  if (one === null || other === null) return one ?? other
  return {
    assertVisible(real) {
      one.assertVisible(real)
      other.assertVisible(real)
    },
    assertReadable(real) {
      one.assertReadable(real)
      other.assertReadable(real)
    },
    async assertWritable(real) {
      await one.assertWritable(real)
      await other.assertWritable(real)
    },
    async assertAllWritable(reals) {
      await one.assertAllWritable(reals)
      await other.assertAllWritable(reals)
    },
  }
}

/** Returns true where a client may learn the standing of all these paths; else it counts as unknown. */
export function mayDescribe(paths: readonly string[], { readable }: MachineCeiling): boolean {
  return readable === null || paths.every((path) => isAmong(path, readable))
}

/** Returns the sentence about a ceiling; null where it limits nothing. */
export function ceilingSentence({ maxSandbox, writable, readable }: MachineCeiling): string | null {
  if (maxSandbox === 'danger-full-access') return null
  const where = readable ?? (maxSandbox === 'read-only' ? [] : writable)
  const places =
    where.length === 0 ? '' : `, ${readable === null ? 'writing' : 'reading and writing'} in ${where.join(', ')}`
  return `Its owner allows ${maxSandbox} at most${places}.`
}
