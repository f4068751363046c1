import { type Files, StorageError } from '../src/disk/files.ts'
import { unsyncedFiles } from './unsynced-files.ts'

export type Operation = keyof Files

/** The errno the operation ends with; `short` writes half of the bytes and ends well. */
export type Fault = string | null

export interface FaultyFiles {
  readonly files: Files
  /** Operations so far. */
  count(): number
}

/** The real disk, unsynced, but that `decide` may let any operation fail; `close` is done even when it fails, as the kernel does. */
export function faultyFiles(decide: (operation: Operation, nth: number) => Fault): FaultyFiles {
  let nth = 0
  const failed = (operation: Operation): StorageError | 'short' | null => {
    nth++
    const fault = decide(operation, nth)
    if (fault === null || fault === 'short') return fault
    return new StorageError({ code: fault, operation, path: 'injected' })
  }
  const wrap =
    <A extends readonly unknown[], R>(operation: Operation, run: (...args: A) => R) =>
    (...args: A): R => {
      const fault = failed(operation)
      if (fault instanceof StorageError) {
        if (operation === 'close') run(...args)
        throw fault
      }
      return run(...args)
    }
  const wrapAsync =
    <A extends readonly unknown[]>(operation: Operation, run: (...args: A) => Promise<void>) =>
    async (...args: A): Promise<void> => {
      const fault = failed(operation)
      if (fault instanceof StorageError) throw fault
      await run(...args)
    }
  const files: Files = {
    open: wrap('open', unsyncedFiles.open),
    close: wrap('close', unsyncedFiles.close),
    read: wrap('read', unsyncedFiles.read),
    write: (file, bytes) => {
      const fault = failed('write')
      if (fault instanceof StorageError) throw fault
      return unsyncedFiles.write(file, fault === 'short' ? bytes.subarray(0, Math.ceil(bytes.length / 2)) : bytes)
    },
    overwrite: wrap('overwrite', unsyncedFiles.overwrite),
    sync: wrapAsync('sync', unsyncedFiles.sync),
    syncFolder: wrapAsync('syncFolder', unsyncedFiles.syncFolder),
    truncate: wrap('truncate', unsyncedFiles.truncate),
    setMode: wrap('setMode', unsyncedFiles.setMode),
    stat: wrap('stat', unsyncedFiles.stat),
    look: wrap('look', unsyncedFiles.look),
    setModeAt: wrap('setModeAt', unsyncedFiles.setModeAt),
    makeFolder: wrap('makeFolder', unsyncedFiles.makeFolder),
    list: wrap('list', unsyncedFiles.list),
    rename: wrap('rename', unsyncedFiles.rename),
    link: wrap('link', unsyncedFiles.link),
    remove: wrap('remove', unsyncedFiles.remove),
    removeTree: wrap('removeTree', unsyncedFiles.removeTree),
    lock: wrap('lock', unsyncedFiles.lock),
  }
  return { files, count: () => nth }
}

/** Fails the nth operation of one kind, counted from 1. */
export function failNth(operation: Operation, n: number, fault: string): FaultyFiles {
  let seen = 0
  return faultyFiles((name) => (name === operation && ++seen === n ? fault : null))
}
