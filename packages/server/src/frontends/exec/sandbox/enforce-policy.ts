import {
  type Enforcement,
  type Guard,
  type GuardKind,
  type GuardSurroundings,
  lookAtPaths,
  noSandbox,
  type Sandbox,
  type Sandboxes,
  type SandboxLimits,
} from '@parley/host'
import { realPathOf, type SecretPaths } from '@parley/workspace'
import { processErrors } from '../exec-errors.ts'
import { type FileLimits, fileLimits } from './file-limits.ts'
import { readSandboxPolicy, type SandboxPolicy } from './read-policy.ts'

interface PolicyEnforcerParts extends GuardSurroundings {
  readonly sandboxes: Sandboxes
  readonly secrets: () => Promise<SecretPaths>
  readonly platform: string
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
}

interface ProcessPolicy {
  readonly policy: unknown
  readonly cwd: string
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
  const { sandboxes, secrets, platform } = parts
  const guard = async (roots: readonly string[]): Promise<Guard> => (await lookAtPaths(roots, parts)).guardOf
  async function masksOf({ masked }: Sandboxed): Promise<SecretPaths> {
    return [...new Set([...(await secrets()), ...(await realPaths(masked))])]
  }
  async function limitsOf(policy: Sandboxed, { cwd, scratch }: ProcessPolicy): Promise<SandboxLimits> {
    return {
      mode: policy.mode,
      writableRoots: await rootsOf(policy, cwd),
      network: policy.network,
      unixSockets: policy.unixSockets,
      masked: await masksOf(policy),
      scratch: await scratch(),
    }
  }
  return {
    report: () => sandboxes.report(),
    process(request) {
      const policy = readUnderstood(request.policy)
      if (policy === null) return null
      return async () => {
        const { enforcement, reason } = await sandboxes.report()
        if (enforcement === 'none') throw processErrors.sandboxUnavailable(reason)
        const limits = await limitsOf(policy, request)
        const sandbox = await sandboxes.prepare(limits).catch((cause: unknown) => {
          throw processErrors.sandboxUnavailable(cause instanceof Error ? cause.message : String(cause))
        })
        return { sandbox, type: sandboxType(enforcement, platform), onBroken: () => void sandboxes.recheck() }
      }
    },
    async files(written) {
      const policy = readUnderstood(written)
      if (policy === null) return null
      const roots = await rootsOf(policy, null)
      const writable = policy.mode === 'read-only' ? [] : roots
      return fileLimits({ roots: writable, masked: await masksOf(policy), guard: () => guard(writable) })
    },
    async guardOf(paths, roots) {
      return paths.map(await guard(await realPaths(roots)))
    },
  }
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
