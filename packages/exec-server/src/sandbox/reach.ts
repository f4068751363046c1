import { readlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { RpcError } from '@parley/rpc'
import { realPathOf } from '@parley/workspace'
import { machineErrors } from '../wire/requests.ts'
import type { FileLimits } from './machine-ceiling.ts'

/** Path of a file operation. */
export interface Reach {
  readonly path: string
  /** True when the operation must fail if any part of the path is a link. */
  readonly exact: boolean
}

type AccessKind = 'look' | 'read' | 'write'

interface ReachTerms {
  /** True when the client gave a real path. */
  readonly exact: boolean
  /** Limits of the client's policy; null allows all rights of the server itself. */
  readonly limits: FileLimits | null
}

/**
 * Returns the target of an operation that follows links. Under limits the path is resolved once, checked, and used
 * without links, so that nothing can divert it. Throws where the limits forbid access.
 */
export async function reachOf(path: string, access: AccessKind, { exact, limits }: ReachTerms): Promise<Reach> {
  if (limits === null) return { path, exact }
  const real = () => (exact ? path : resolved(path, limits.assertVisible))
  return await namedAs(path, async () => checked(await real(), access, limits))
}

/** Works as `reachOf`, but does not follow a link at `path` itself. */
export async function reachOfItself(path: string, access: AccessKind, { exact, limits }: ReachTerms): Promise<Reach> {
  if (limits === null) return { path, exact }
  const real = async () => (exact ? path : join(await resolved(dirname(path), limits.assertVisible), basename(path)))
  return await namedAs(path, async () => checked(await real(), access, limits))
}

async function checked(path: string, access: AccessKind, limits: FileLimits): Promise<Reach> {
  if (access === 'write') await limits.assertWritable(path)
  else if (access === 'read') limits.assertReadable(path)
  else limits.assertVisible(path)
  return { path, exact: true }
}

/** Names the path that a client gave in the error that it is outside: where links lead there is not for it to know. */
async function namedAs<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof RpcError && error.data?.code === 'outsideRoots' ? machineErrors.outsideRoots(path) : error
  }
}

/** Resolves a path. Reports the reason of a failure only where the client may see the whole way of the path. */
export async function resolved(path: string, assertVisible: (real: string) => void): Promise<string> {
  try {
    return await realPathOf(path)
  } catch (error) {
    await assertWayVisible(path, assertVisible)
    throw error
  }
}

const maxLinks = 40

async function assertWayVisible(path: string, assertVisible: (real: string) => void, links = 0): Promise<void> {
  const parent = dirname(path)
  if (parent === path) return
  const real = await realPathOf(parent).catch(() => null)
  if (real === null) return assertWayVisible(parent, assertVisible, links)
  const place = join(real, basename(path))
  assertVisible(place)
  const target = links < maxLinks ? await readlink(place).catch(() => null) : null
  if (target !== null) await assertWayVisible(resolve(real, target), assertVisible, links + 1)
}
