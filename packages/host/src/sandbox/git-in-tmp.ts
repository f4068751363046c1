import { foldersReadByGit } from '../git/folders-read-by-git.ts'
import { isWithin } from '../system/real-path.ts'
import type { SandboxLimits } from './sandbox.ts'

/**
 * Lists the folders outside the writable ones that git reads for these and that lie below /tmp. A sandbox with a /tmp of
 * its own shows them for reading, but for secret places; else git would find no repository.
 */
export function gitFoldersInTmp({ writableRoots, masked }: Pick<SandboxLimits, 'writableRoots' | 'masked'>): string[] {
  return writableRoots.flatMap(foldersReadByGit).filter((path) => {
    const isSeenOrSecret = [...writableRoots, ...masked].some((folder) => isWithin(path, folder))
    return isWithin(path, '/tmp') && path !== '/tmp' && !isSeenOrSecret
  })
}
