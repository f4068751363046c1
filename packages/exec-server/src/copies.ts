import { realpathSync, rmSync } from 'node:fs'
import { normalize } from 'node:path'
import { type Host, makeOwnFolder, readableTmp } from '@parley/host'
import { type TrustedFile, writeCopy } from '@parley/policy'
import type { ExecMethods } from '@parley/protocol/exec'
import { invalidParams } from '@parley/rpc'
import { liesWithin } from '@parley/workspace'
import { copyErrors } from './wire/requests.ts'

type CopiedFile = NonNullable<ExecMethods['copy/make']['decoded']['files']>[number]

/** Bytes of all copies of one session. */
const mostBytes = 64 * 1024 * 1024
/** Bytes that a copy and each of its files count for beside their content, so that there is no end to neither. */
const entryBytes = 4096

/** Read-only copies of files that clients send, for programs that must run exactly these. They last as long as their session. */
export interface Copies {
  /** Resolves with the folder of a copy; null for an unknown key. */
  find(key: string): Promise<string | null>
  make(key: string, files: readonly CopiedFile[]): Promise<string>
  /** Returns the copy that a real path lies in; null for any other path. */
  around(realPath: string): string | null
  remove(): void
}

export function createCopies(host: Pick<Host, 'startGuard' | 'removeWhenKilled'>): Copies {
  const made = new Map<string, Promise<string>>()
  const folders = new Map<string, () => void>()
  let leftBytes = mostBytes
  let isOver = false
  // Without a wait in between: a session that ends meanwhile would leave the folder behind.
  const make = async (files: readonly CopiedFile[]) => {
    const folder = makeOwnFolder('hooks', readableTmp)
    host.startGuard()
    folders.set(realpathSync(folder), host.removeWhenKilled(folder))
    const problem = writeCopy(files.map(decoded), folder)
    if (problem !== null) throw copyErrors.notMade(problem)
    return folder
  }
  return {
    find: (key) => made.get(key) ?? Promise.resolve(null),
    make(key, files) {
      const known = made.get(key)
      if (known !== undefined) return known
      for (const { path } of files) assertInside(path)
      const bytes = files.reduce((sum, { dataBase64 }) => sum + entryBytes + dataBase64.length, entryBytes)
      if (isOver || bytes > leftBytes) return Promise.reject(copyErrors.tooMuch())
      leftBytes -= bytes
      const folder = make(files)
      made.set(key, folder)
      folder.catch(() => made.delete(key))
      return folder
    },
    around: (realPath) => [...folders.keys()].find((folder) => liesWithin(realPath, folder)) ?? null,
    remove() {
      isOver = true
      for (const [folder, forget] of folders) {
        rmSync(folder, { recursive: true, force: true })
        forget()
      }
    },
  }
}

function decoded({ path, dataBase64, executable }: CopiedFile): TrustedFile {
  return { path, bytes: Buffer.from(dataBase64, 'base64'), isProgram: executable }
}

/** Throws for a path that would leave the folder of the copy. */
function assertInside(path: string): void {
  const isPlain = normalize(path) === path && !path.includes('\0') && !path.endsWith('/')
  const isInside = isPlain && !/^(?:\/|\.\.?(?:\/|$))/.test(path)
  if (!isInside) throw invalidParams('a path in a copy must be relative, and without . and ..', 'files')
}
