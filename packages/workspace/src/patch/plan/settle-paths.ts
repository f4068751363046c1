import { resolve } from 'node:path'
import { whenUnknown } from '../../files/errors.ts'
import type { PatchView } from '../patch-files.ts'
import type { FileEdit } from './plan-edit.ts'

/**
 * Returns changes with their intended paths: drops the `a/` or `b/` of a diff where a file exists without it and no
 * file with it.
 */
export async function settlePaths(
  edits: readonly FileEdit[],
  cwd: string,
  files: Pick<PatchView, 'realPath' | 'stat'>,
): Promise<readonly FileEdit[]> {
  const isThere = async (path: string) => {
    try {
      return (await files.stat(await files.realPath(resolve(cwd, path)))) !== null
    } catch (error) {
      return whenUnknown(false)(error)
    }
  }
  return await Promise.all(
    edits.map(async (edit) => {
      const plain = edit.kind === 'add' || edit.kind === 'write' ? undefined : /^[ab]\/(.+)$/.exec(edit.path)?.[1]
      if (plain === undefined || (await isThere(edit.path)) || !(await isThere(plain))) return edit
      return { ...edit, path: plain }
    }),
  )
}
