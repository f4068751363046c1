import {
  type Guard,
  type GuardKind,
  type GuardSurroundings,
  guardFor,
  noSandbox,
  type Sandbox,
  type Sandboxes,
  type SandboxLimits,
} from '@parley/host'
import { realPathOf, type SecretPlaces } from '@parley/workspace'
import { processErrors } from '../exec-errors.ts'
import { type FileLimits, fileLimits } from './file-limits.ts'
import { type Intent, readIntent } from './read-intent.ts'
import { sandboxType } from './sandbox-type.ts'

export interface ConfinementParts extends GuardSurroundings {
  readonly sandboxes: Sandboxes
  readonly secrets: () => Promise<SecretPlaces>
  readonly platform: string
}

/** How what a client wants confined is confined on this machine. */
export interface Confinement extends Pick<Sandboxes, 'report'> {
  /** Null where nothing is to be confined. Throws for a wish that is not understood. */
  process(wish: ProcessWish): (() => Promise<ConfinedStart>) | null
  /** Null where the files are not confined. Throws for a wish that is not understood. */
  files(intent: unknown): Promise<FileLimits | null>
  /** Tells why each path stays as it is where processes may write to `roots`. */
  guardOf(paths: readonly string[], roots: readonly string[]): Promise<readonly (GuardKind | null)[]>
}

export interface ProcessWish {
  readonly intent: unknown
  readonly cwd: string
  /** The session's private folder, seen as /tmp. */
  readonly scratch: () => Promise<string>
}

export interface ConfinedStart {
  readonly sandbox: Sandbox
  /** As the client is told of it. */
  readonly type: string
  /** It could not be set up after all: what the machine can do is found out anew. */
  broke(): void
}

export const unconfinedStart: ConfinedStart = { sandbox: noSandbox, type: 'none', broke: () => undefined }

type Confined = Extract<Intent, { kind: 'confined' }>

export function createConfinement(parts: ConfinementParts): Confinement {
  const { sandboxes, secrets, platform } = parts
  const guard = (roots: readonly string[]): Promise<Guard> => guardFor(roots, parts)
  async function masksOf({ masked }: Confined): Promise<SecretPlaces> {
    return [...new Set([...(await secrets()), ...(await realPaths(masked))])]
  }
  async function limitsOf(intent: Confined, { cwd, scratch }: ProcessWish): Promise<SandboxLimits> {
    return {
      mode: intent.mode,
      writableRoots: await rootsOf(intent, cwd),
      network: intent.network,
      unixSockets: intent.unixSockets,
      masked: await masksOf(intent),
      scratch: await scratch(),
    }
  }
  return {
    report: () => sandboxes.report(),
    process(wish) {
      const intent = understood(wish.intent)
      if (intent === null) return null
      return async () => {
        const { enforcement, reason } = await sandboxes.report()
        if (enforcement === 'none') throw processErrors.sandboxUnavailable(reason)
        const limits = await limitsOf(intent, wish)
        const sandbox = await sandboxes.prepare(limits).catch((cause: unknown) => {
          throw processErrors.sandboxUnavailable(cause instanceof Error ? cause.message : String(cause))
        })
        return { sandbox, type: sandboxType(enforcement, platform), broke: () => void sandboxes.recheck() }
      }
    },
    async files(wish) {
      const intent = understood(wish)
      if (intent === null) return null
      const roots = await rootsOf(intent, null)
      const writable = intent.mode === 'read-only' ? [] : roots
      return fileLimits({ roots: writable, masked: await masksOf(intent), guard: () => guard(writable) })
    },
    async guardOf(paths, roots) {
      return paths.map(await guard(await realPaths(roots)))
    },
  }
}

function understood(wish: unknown): Confined | null {
  const intent = readIntent(wish)
  if (intent.kind === 'notUnderstood') throw processErrors.sandboxNotUnderstood(intent.why)
  return intent.kind === 'unconfined' ? null : intent
}

/** What a process is started in is the client's word too, so where it names no root it means that folder. */
async function rootsOf({ mode, writableRoots, cwd }: Confined, startedIn: string | null): Promise<string[]> {
  const named = writableRoots ?? []
  const standIn = cwd ?? startedIn
  const roots = await realPaths(named.length > 0 || standIn === null ? named : [standIn])
  // Where nothing is writable they are only what a private /tmp must not hide.
  if (mode === 'read-only') return roots.filter((root) => root !== '/')
  if (roots.includes('/')) throw processErrors.sandboxNotUnderstood('a writable root of / is no limit')
  return roots
}

async function realPaths(paths: readonly string[]): Promise<string[]> {
  return [...new Set(await Promise.all(paths.map((path) => realPathOf(path))))]
}
