import { basename, dirname, join } from 'node:path'
import { type Guard, guardText } from '@parley/host'
import { isSecret, liesWithin, realPathOf, type SecretPaths } from '@parley/workspace'
import { fileFailure } from '../params.ts'

/**
 * File limits of a client's policy. Both functions take real paths and throw the error that a sandboxed process would
 * get.
 */
export interface FileLimits {
  assertReadable(real: string): void
  assertWritable(real: string): Promise<void>
}

interface FileBounds {
  /** Real paths that are writable; empty for a read-only policy. */
  readonly roots: readonly string[]
  readonly masked: SecretPaths
  /** Resolves with the check for protected files; called once, before the first write. */
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

/** Path of a file operation. */
export interface Reach {
  readonly path: string
  /** True when the operation must fail if any part of the path is a link. */
  readonly exact: boolean
}

type Access = 'read' | 'write'

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
  else limits.assertReadable(path)
  return { path, exact: true }
}
