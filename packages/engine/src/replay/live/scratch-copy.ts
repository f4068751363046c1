import { mkdir, realpath } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { makeOwnFolder, realOrGiven } from '@parley/host'
import type { ChangedPath } from '@parley/protocol'
import {
  applyPlan,
  type ContentStore,
  type Environment,
  joinChanges,
  liesWithin,
  planRewind,
  removeTree,
} from '@parley/workspace'
import { copyFolder } from './copy-folder.ts'

/** Copy of a workspace in which calls run again. Disposing it removes it. */
export interface ScratchCopy extends AsyncDisposable {
  /** Real path of the copy. */
  readonly work: string
  /** Folder that commands see as /tmp. */
  readonly temporary: string
  /** Folder for large outputs. */
  readonly outputs: string
  /** Sentence on the files that it began with. */
  readonly start: string
  /** Returns where a path of the workspace lies in the copy; null for one outside of it. */
  placeOf(path: string): string | null
  /** Gives files the contents that a change of the log left. Returns the paths that could not get theirs. */
  follow(changes: readonly ChangedPath[]): Promise<readonly string[]>
}

interface CopyParts {
  /** Folder that is copied. */
  readonly from: string
  /** Folder of the conversation, which the paths of its log name. */
  readonly recorded: string
  /** All that the log says calls changed, in its order. */
  readonly changes: readonly ChangedPath[]
  readonly store: ContentStore
  readonly environment: Environment
}

/** Copies a workspace and takes back in the copy what the calls of the log changed. Rejects where it cannot be copied. */
export async function openScratchCopy(parts: CopyParts): Promise<ScratchCopy> {
  const { from, recorded, changes, store, environment } = parts
  const folder = await realpath(makeOwnFolder('replay'))
  const remove = () => removeTree(folder)
  const work = join(folder, 'work')
  const temporary = join(folder, 'tmp')
  const outputs = join(folder, 'outputs')
  const roots = [...new Set([recorded, realOrGiven(recorded)])]
  let written = 0

  const placeOf = (path: string) => {
    // A log from elsewhere may name paths that lead out of the folder by `..`.
    const plain = resolve(path)
    const root = roots.find((one) => liesWithin(plain, one))
    return root === undefined ? null : join(work, relative(root, plain))
  }

  /** Gives files contents; returns the paths whose contents are not kept, and those outside of the workspace. */
  async function give(wanted: readonly Pick<ChangedPath, 'path' | 'before'>[]): Promise<readonly string[]> {
    const placed = wanted.map(({ path, before }) => ({ path, before, place: placeOf(path) }))
    const outside = placed.flatMap(({ path, place }) => (place === null ? [path] : []))
    const inside = placed.flatMap(({ place, before }) =>
      place === null ? [] : [{ path: place, before, after: [], isInterleaved: false }],
    )
    const files = environment.patches
    const { plans, left } = await planRewind({ changes: inside, cwd: work, files, store, overwrite: true })
    const outcome = await applyPlan({ plans, files, tag: `replay-${++written}` })
    return [...outside, ...left.map(({ path }) => path), ...(outcome.applied ? [] : plans.map(({ path }) => path.real))]
  }

  try {
    await Promise.all([mkdir(temporary), mkdir(outputs)])
    await copyFolder(from, work, await environment.secrets())
    const joined = joinChanges(changes)
    const lost = await give(joined)
    return {
      work,
      temporary,
      outputs,
      start: startText(from, { changed: joined.length, lost: lost.length }),
      placeOf,
      follow: (made) => give(made.map(({ path, after }) => ({ path, before: after }))),
      [Symbol.asyncDispose]: remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}

function startText(from: string, { changed, lost }: { readonly changed: number; readonly lost: number }): string {
  const files = (count: number) => (count === 1 ? '1 file' : `${count} files`)
  const as = `The tools ran in a copy of ${from} as it is now`
  if (changed === 0) return `${as}: the log names no file that a call changed.`
  const back = changed - lost
  const kept = `${files(back)} as before the first call that changed ${back === 1 ? 'it' : 'them'}`
  if (lost === 0) return `${as}, with ${kept}.`
  return `${as}${back === 0 ? '' : `, with ${kept}`}. The earlier content of ${files(lost)} is not kept.`
}
