import { basename, dirname, join } from 'node:path'
import { realPathOf } from '@parley/workspace'
import type { FileLimits } from '../confinement/file-limits.ts'

/** Where an operation on files takes place. */
export interface Reach {
  readonly path: string
  /** It takes place there and nowhere else: a link on the way, or put there meanwhile, makes it fail. */
  readonly exact: boolean
}

export type Deed = 'read' | 'write'

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

export interface Terms {
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
