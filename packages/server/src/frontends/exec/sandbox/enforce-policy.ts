import { basename, dirname, join } from 'node:path'
import {
  type Enforcement,
  type Guard,
  type GuardKind,
  type GuardSurroundings,
  guardText,
  lookAtPaths,
  noSandbox,
  type Sandbox,
  type Sandboxes,
  type SandboxLimits,
} from '@parley/host'
import { errorMessage } from '@parley/text'
import { isSecret, liesWithin, realPathOf, type SecretPaths } from '@parley/workspace'
import { fileFailure, machineErrors, processErrors } from '../requests.ts'
import {
  assertMode,
  assertPlaces,
  bothLimits,
  ceilingSentence,
  type FileLimits,
  hiddenAround,
  type MachineCeiling,
  maySay,
  noCeiling,
  ownFileLimits,
} from './machine-ceiling.ts'
import { readSandboxPolicy, type SandboxPolicy } from './read-policy.ts'
import type { LoopbackKey, SharedLoopbacks } from './shared-loopbacks.ts'

interface PolicyEnforcerParts extends GuardSurroundings {
  readonly sandboxes: Sandboxes
  readonly secrets: () => Promise<SecretPaths>
  readonly platform: string
  /** Most that clients may do; default: what the user of the exec-server may. */
  readonly ceiling?: MachineCeiling
}

/** Applies the sandbox policies that clients request, with the means of this machine. */
export interface PolicyEnforcer extends Pick<Sandboxes, 'report'> {
  /**
   * Returns the preparation of a process's sandbox; null for a policy without limits. Throws `sandboxNotUnderstood`.
   */
  process(request: ProcessPolicy): (() => Promise<SandboxedStart>) | null
  /** Resolves with limits for file operations; null for a policy without limits. Throws `sandboxNotUnderstood`. */
  files(policy: unknown): Promise<FileLimits | null>
  /**
   * Resolves with the reason why each path is read-only for processes that may write to `roots`; null where it is
   * not.
   */
  guardOf(paths: readonly string[], roots: readonly string[]): Promise<readonly (GuardKind | null)[]>
  /** Tells if clients may connect to ports in its loopbacks. */
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
  const guard = async (roots: readonly string[]): Promise<Guard> => (await lookAtPaths(roots, parts)).guardOf
  async function masksOf({ masked }: Sandboxed): Promise<SecretPaths> {
    return [...new Set([...(await secrets()), ...(await realPaths(masked))])]
  }
  async function limitsOf(policy: Sandboxed, { cwd, scratch, copyAround }: ProcessPolicy): Promise<SandboxLimits> {
    const { mode, network, unixSockets } = policy
    const roots = await rootsOf(policy, cwd)
    const realCwd = await realPathOf(cwd)
    const copy = copyAround(realCwd)
    const shownCopy = copy === null ? [] : [copy]
    assertPlaces({ mode, roots, cwd: copy === null ? realCwd : null }, ceiling)
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
    const roots = await rootsOf(policy, null)
    const writable = policy.mode === 'read-only' ? [] : roots
    return fileLimits({ roots: writable, masked: await masksOf(policy), guard: () => guard(writable) })
  }
  return {
    report: async () => {
      const { reason, ...found } = await sandboxes.report()
      return { ...found, reason: [reason, ceilingSentence(ceiling)].filter((text) => text !== null).join(' ') }
    },
    process(request) {
      const policy = readUnderstood(request.policy)
      assertMode(policy?.mode ?? 'danger-full-access', ceiling)
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
      const own = ownFileLimits(ceiling, { secrets: await secrets(), guard })
      return bothLimits(own, policy === null ? null : await clientLimits(policy))
    },
    async guardOf(paths, roots) {
      const real = await realPaths(roots)
      if (!maySay([...real, ...(await realPaths(paths))], ceiling)) return paths.map(() => 'unknown')
      return paths.map(await guard(real))
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

/**
 * Returns the real paths that are writable. A policy without roots means its own folder, or else that of the process.
 */
async function rootsOf({ mode, writableRoots, cwd }: Sandboxed, startedIn: string | null): Promise<string[]> {
  const named = writableRoots ?? []
  const standIn = cwd ?? startedIn
  const roots = await realPaths(named.length > 0 || standIn === null ? named : [standIn])
  // In a read-only policy roots only name what the private /tmp must not hide.
  if (mode === 'read-only') return roots.filter((root) => root !== '/')
  if (roots.includes('/')) throw processErrors.sandboxNotUnderstood('a writable root of / is no limit')
  return roots
}

async function realPaths(paths: readonly string[]): Promise<string[]> {
  return [...new Set(await Promise.all(paths.map((path) => realPathOf(path))))]
}

/** Returns the sandbox's name as existing clients know it. */
function sandboxType(enforcement: Exclude<Enforcement, 'none'>, platform: string): string {
  if (platform === 'darwin') return 'seatbelt'
  return enforcement === 'full' ? 'bubblewrap' : 'landlock'
}

interface FileBounds {
  /** Real paths that are writable; empty for a read-only policy. */
  readonly roots: readonly string[]
  readonly masked: SecretPaths
  /** Resolves with the check for protected files; called once, before the first write. */
  readonly guard: () => Promise<Guard>
}

/** Returns the limits of a client's policy, with the errors that a sandboxed process would get. */
function fileLimits({ roots, masked, guard }: FileBounds): FileLimits {
  let known: Promise<Guard> | null = null
  const assertReadable = (real: string) => {
    if (isSecret(real, masked)) throw fileFailure('EACCES', real, 'the sandbox does not let it be read')
  }
  return {
    assertVisible: assertReadable,
    assertReadable,
    async assertWritable(real) {
      assertReadable(real)
      if (!roots.some((root) => liesWithin(real, root)))
        throw fileFailure('EROFS', real, 'it lies outside of what the sandbox lets be written')
      known ??= guard()
      const kind = (await known)(real)
      if (kind !== null)
        throw fileFailure('EROFS', real, `it is kept as it is in a sandbox, since it ${guardText(kind)}`)
    },
  }
}

/** Path of a file operation. */
export interface Reach {
  readonly path: string
  /** True when the operation must fail if any part of the path is a link. */
  readonly exact: boolean
}

type Access = 'look' | 'read' | 'write'

/**
 * Returns the target of an operation that follows links. Under limits the path is resolved once, checked, and used
 * without links, so that nothing can divert it. Throws where the limits forbid access.
 */
export async function reachOf(path: string, access: Access, { exact, limits }: Terms): Promise<Reach> {
  if (limits === null) return { path, exact }
  return await checked(exact ? path : await realPathOf(path), access, limits)
}

/** Works as `reachOf`, but does not follow a link at `path` itself. */
export async function reachOfItself(path: string, access: Access, { exact, limits }: Terms): Promise<Reach> {
  if (limits === null) return { path, exact }
  return await checked(exact ? path : join(await realPathOf(dirname(path)), basename(path)), access, limits)
}

interface Terms {
  /** True when the client gave a real path. */
  readonly exact: boolean
  /** Limits of the client's policy; null allows what the server itself may do. */
  readonly limits: FileLimits | null
}

async function checked(path: string, access: Access, limits: FileLimits): Promise<Reach> {
  if (access === 'write') await limits.assertWritable(path)
  else if (access === 'read') limits.assertReadable(path)
  else limits.assertVisible(path)
  return { path, exact: true }
}
