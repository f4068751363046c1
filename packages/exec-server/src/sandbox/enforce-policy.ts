import {
  type Enforcement,
  type Guard,
  type GuardKind,
  type GuardSurroundings,
  guardText,
  noSandbox,
  openPathStandings,
  type Sandbox,
  type Sandboxes,
  type SandboxLimits,
  type SpawnError,
} from '@parley/host'
import { RpcError } from '@parley/rpc'
import { errorCode, errorMessage } from '@parley/text'
import { isSecret, liesWithin, realPathOf, type SecretPaths, systemErrorReason } from '@parley/workspace'
import { fileFailure, machineErrors, processErrors } from '../wire/requests.ts'
import {
  assertPlaces,
  assertPolicyUnderCeiling,
  assertReadablePlace,
  bothLimits,
  ceilingSentence,
  type FileLimits,
  hiddenAround,
  type MachineCeiling,
  mayDescribe,
  type NamedFolder,
  noCeiling,
  ownFileLimits,
} from './machine-ceiling.ts'
import { createPathsUnderWay, type RequestLimits } from './paths-under-way.ts'
import { resolved } from './reach.ts'
import { readSandboxPolicy, type SandboxPolicy } from './read-policy.ts'
import type { LoopbackKey, SharedLoopbacks } from './shared-loopbacks.ts'

interface PolicyEnforcerParts extends GuardSurroundings {
  readonly sandboxes: Sandboxes
  readonly secrets: () => Promise<SecretPaths>
  readonly platform: string
  /** Ceiling for clients; default: all rights of the exec-server's user. */
  readonly ceiling?: MachineCeiling
}

/** Applies the sandbox policies that clients request, with the means of this machine. */
export interface PolicyEnforcer extends Pick<Sandboxes, 'report'> {
  /**
   * Returns the preparation of a process's sandbox; null for a policy without limits. Throws `sandboxNotUnderstood`.
   */
  process(request: ProcessPolicy): (() => Promise<SandboxedStart>) | null
  /** Resolves with limits for one file operation; null for a policy without limits. Throws `sandboxNotUnderstood`. */
  files(policy: unknown): Promise<RequestLimits | null>
  /**
   * Resolves with the reason why each path is read-only for processes that may write to `roots`; null where it is
   * not.
   */
  guardOf(paths: readonly string[], roots: readonly string[]): Promise<readonly (GuardKind | null)[]>
  /** True where clients may connect to ports in its loopbacks. */
  readonly letsPortsOut: boolean
  /** Throws `portsNotAllowed` where they may not. */
  assertPorts(): void
}

interface ProcessPolicy {
  readonly policy: unknown
  readonly cwd: string
  /** Returns the loopback that processes of a session share under a key; it is made at the first use. */
  readonly loopbackOf: SharedLoopbacks['of']
  /** Returns the session's copy of a client's files that a real path lies in; null for any other path. */
  readonly copyAround: (realPath: string) => string | null
  /** Returns the session's private folder, which the process has as /tmp. */
  readonly scratch: () => Promise<string>
}

export interface SandboxedStart {
  readonly sandbox: Sandbox
  /** Name of the sandbox in replies. */
  readonly type: string
  /** Called when the sandbox could not be set up; the machine's sandbox is then tested anew. */
  onBroken(): void
}

export const unsandboxedStart: SandboxedStart = { sandbox: noSandbox, type: 'none', onBroken: () => undefined }

type Sandboxed = Extract<SandboxPolicy, { kind: 'confined' }>

export function createPolicyEnforcer(parts: PolicyEnforcerParts): PolicyEnforcer {
  const { sandboxes, secrets, platform, ceiling = noCeiling } = parts
  const underWay = createPathsUnderWay()
  const guard = async (roots: readonly string[], together: readonly string[] = underWay.all()): Promise<Guard> =>
    (await openPathStandings(roots, parts, together)).guardOf
  async function masksOf({ masked }: Sandboxed): Promise<SecretPaths> {
    return [...new Set([...(await secrets()), ...(await realPaths(masked))])]
  }
  async function limitsOf(policy: Sandboxed, { cwd, scratch, copyAround }: ProcessPolicy): Promise<SandboxLimits> {
    const { mode, network, unixSockets } = policy
    const folder = await placeOf(cwd, 'cwd', ceiling)
    const named = await rootsOf(policy, cwd, ceiling)
    const roots = named.map(({ real }) => real)
    const copy = copyAround(folder.real)
    const shownCopy = copy === null ? [] : [copy]
    assertPlaces({ mode, roots: named, cwd: copy === null ? folder : null }, ceiling)
    const isShown = (folder: string) => mode === 'workspace-write' && roots.some((root) => liesWithin(folder, root))
    return {
      ...{ mode, network, unixSockets },
      writableRoots: roots,
      masked: [
        ...(await masksOf(policy)),
        ...(await hiddenAround(ceiling, (await sandboxes.report()).enforcement === 'full' && platform !== 'darwin')),
      ],
      readable:
        ceiling.readable === null ? [] : [...ceiling.readable.filter((folder) => !isShown(folder)), ...shownCopy],
      scratch: await scratch(),
    }
  }
  async function clientLimits(policy: Sandboxed): Promise<FileLimits> {
    const roots = await rootsOf(policy, null, ceiling)
    const writable = policy.mode === 'read-only' ? [] : roots.map(({ real }) => real)
    return fileLimits(writable, await masksOf(policy), () => guard(writable))
  }
  return {
    report: async () => {
      const { reason, ...found } = await sandboxes.report()
      return { ...found, reason: [reason, ceilingSentence(ceiling)].filter((text) => text !== null).join(' ') }
    },
    process(request) {
      const policy = readUnderstood(request.policy)
      assertPolicyUnderCeiling(policy, ceiling)
      if (policy === null) return null
      return async () => {
        const { enforcement, reason } = await sandboxes.report()
        if (enforcement === 'none') throw processErrors.sandboxUnavailable(reason)
        const limits = await limitsOf(policy, request)
        const shared = loopbackKey(policy, limits)
        const loopback =
          shared === null ? null : await request.loopbackOf(shared, () => sandboxes.openLoopback(shared.key))
        const sandbox = await sandboxes.prepare(limits, loopback).catch((cause: unknown) => {
          throw processErrors.sandboxUnavailable(errorMessage(cause))
        })
        return { sandbox, type: sandboxType(enforcement, platform), onBroken: () => void sandboxes.recheck() }
      }
    },
    async files(written) {
      const policy = readUnderstood(written)
      const own = ownFileLimits(ceiling, await secrets(), guard)
      return underWay.noting(bothLimits(own, policy === null ? null : await clientLimits(policy)))
    },
    async guardOf(paths, roots) {
      try {
        const real = await realPaths(roots)
        if (mayDescribe([...real, ...(await realPaths(paths))], ceiling)) return paths.map(await guard(real, paths))
      } catch (error) {
        // A loop of links, for one.
        if (errorCode(error) === null) throw error
      }
      return paths.map(() => 'unknown')
    },
    letsPortsOut: ceiling.ports,
    assertPorts() {
      if (!ceiling.ports) throw machineErrors.portsNotAllowed()
    },
  }
}

/** Returns what processes have in common that share a loopback; null for one that has the network, or one of its own. */
function loopbackKey(
  { loopback: name, network }: Sandboxed,
  { mode, unixSockets, writableRoots }: SandboxLimits,
): LoopbackKey | null {
  return name === null || network ? null : { name, key: JSON.stringify([name, mode, unixSockets, ...writableRoots]) }
}

function readUnderstood(written: unknown): Sandboxed | null {
  const policy = readSandboxPolicy(written)
  if (policy.kind === 'notUnderstood') throw processErrors.sandboxNotUnderstood(policy.why)
  return policy.kind === 'unconfined' ? null : policy
}

/** Returns the real writable paths. Without roots, a policy means its own folder, or else the folder of the process. */
async function rootsOf(
  { mode, writableRoots, cwd }: Sandboxed,
  startedIn: string | null,
  ceiling: MachineCeiling,
): Promise<NamedFolder[]> {
  const named = writableRoots ?? []
  const standIn = cwd ?? startedIn
  const asked = named.length > 0 || standIn === null ? named : [standIn]
  const places = await Promise.all(asked.map((path) => placeOf(path, 'system', ceiling)))
  const roots = [...new Map(places.map((place) => [place.real, place])).values()]
  // In a read-only policy, roots only name folders that the private /tmp must not hide.
  if (mode === 'read-only') return roots.filter(({ real }) => real !== '/')
  if (roots.some(({ real }) => real === '/'))
    throw processErrors.sandboxNotUnderstood('a writable root of / is no limit')
  return roots
}

/** Resolves a folder of a process. Rejects with `outsideRoots` or, for a loop of links and the like, `spawnFailed`. */
async function placeOf(asked: string, subject: SpawnError['subject'], ceiling: MachineCeiling): Promise<NamedFolder> {
  try {
    return { asked, real: await resolved(asked, (real) => assertReadablePlace({ asked, real }, ceiling)) }
  } catch (error) {
    const code = errorCode(error)
    if (code === null || error instanceof RpcError) throw error
    throw processErrors.spawnFailed({ code, subject, message: `${asked}: ${systemErrorReason(error)}` })
  }
}

async function realPaths(paths: readonly string[]): Promise<string[]> {
  return [...new Set(await Promise.all(paths.map((path) => realPathOf(path))))]
}

/** Returns the sandbox's name as existing clients know it. */
function sandboxType(enforcement: Exclude<Enforcement, 'none'>, platform: string): string {
  if (platform === 'darwin') return 'seatbelt'
  return enforcement === 'full' ? 'bubblewrap' : 'landlock'
}

/**
 * Returns the limits of a client's policy, with the errors that a sandboxed process would get. `roots`: real paths that
 * are writable. `guard` resolves with the check for protected files, counting files that other requests are making.
 */
function fileLimits(roots: readonly string[], masked: SecretPaths, guard: () => Promise<Guard>): FileLimits {
  let known: Promise<Guard> | null = null
  const assertReadable = (real: string) => {
    if (isSecret(real, masked)) throw fileFailure('EACCES', real, 'the sandbox does not let it be read')
  }
  const assertInRoots = (real: string) => {
    assertReadable(real)
    if (!roots.some((root) => liesWithin(real, root)))
      throw fileFailure('EROFS', real, 'it lies outside of what the sandbox lets be written')
  }
  const assertOpen = (real: string, guardOf: Guard) => {
    const kind = guardOf(real)
    if (kind !== null) throw fileFailure('EROFS', real, `it is kept as it is in a sandbox, since it ${guardText(kind)}`)
  }
  return {
    assertVisible: assertReadable,
    assertReadable,
    async assertWritable(real) {
      assertInRoots(real)
      known ??= guard()
      assertOpen(real, await known)
    },
    async assertAllWritable(reals) {
      for (const real of reals) assertInRoots(real)
      const guardOf = await guard()
      for (const real of reals) assertOpen(real, guardOf)
    },
  }
}
