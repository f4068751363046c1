import type { Files } from '../src/disk/files.ts'
import { nodeFiles } from '../src/disk/node-files.ts'

/** Real files that count the bytes read of one path. */
export function countedReads(path: string): { readonly files: Files; readBytes: number } {
  const counting = {
    readBytes: 0,
    files: {
      ...nodeFiles,
      read: (...args: Parameters<Files['read']>) => {
        const count = nodeFiles.read(...args)
        counting.readBytes += args[0].path === path ? count : 0
        return count
      },
    },
  }
  return counting
}
