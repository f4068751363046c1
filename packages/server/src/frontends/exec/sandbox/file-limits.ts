import { basename, dirname, join } from 'node:path'
import { type Guard, guardText } from '@parley/host'
import { isSecret, liesWithin, realPathOf, type SecretPlaces } from '@parley/workspace'
import { fileFailure } from '../exec-errors.ts'

/** What a client's wish lets `fs/*` do; both ask for real paths and throw what a confined process would be told. */
export interface FileLimits {
  assertReadable(real: string): void
  assertWritable(real: string): Promise<void>
}

interface FileBounds {
  /** Real paths; none where nothing may be written. */
  readonly roots: readonly string[]
  readonly masked: SecretPlaces
  /** Looks at the files as they are; asked once, before the first write. */
  readonly guard: () => Promise<Guard>
}

export function fileLimits({ roots, masked, guard }: FileBounds): FileLimits {
  let known: Promise<Guard> | null = null
  const assertReadable = (real: string) => {
    if (isSecret(real, masked)) throw fileFailure('EACCES', real, 'the sandbox does not let it be read')
  }
  return {
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

/** Where an operation on files takes place. */
export interface Reach {
  readonly path: string
  /** It takes place there and nowhere else: a link on the way, or put there meanwhile, makes it fail. */
  readonly exact: boolean
}

type Deed = 'read' | 'write'

/**
 * Where an operation on what `path` leads to takes place. Under limits it is looked up once, judged, and then done
 * there exactly, so that nothing between the judgement and the deed can divert it. Throws where they forbid it.
 */
export async function reachOf(path: string, deed: Deed, { exact, limits }: Terms): Promise<Reach> {
  if (limits === null) return { path, exact }
  return await judged(exact ? path : await realPathOf(path), deed, limits)
}

/** As `reachOf`, for what lies at `path` itself, be it a link. */
export async function reachOfItself(path: string, deed: Deed, { exact, limits }: Terms): Promise<Reach> {
  if (limits === null) return { path, exact }
  return await judged(exact ? path : join(await realPathOf(dirname(path)), basename(path)), deed, limits)
}

interface Terms {
  /** The path was said to be a real one. */
  readonly exact: boolean
  /** Null: it may do what the server may. */
  readonly limits: FileLimits | null
}

async function judged(path: string, deed: Deed, limits: FileLimits): Promise<Reach> {
  if (deed === 'write') await limits.assertWritable(path)
  else limits.assertReadable(path)
  return { path, exact: true }
}
