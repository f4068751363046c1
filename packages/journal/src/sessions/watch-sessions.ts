import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import type { FolderEntries } from '../disk/files.ts'
import { newestDays, sessionsFolder } from '../disk/session-paths.ts'

/** Number of newest days to watch. */
const watchedDays = 100

/**
 * Calls `onChange` when a process made, wrote, opened, closed or deleted a conversation of a home. Older days, and file
 * systems that report no changes, go unnoticed. Returns the function that ends it.
 */
export function watchSessions(files: FolderEntries, home: string, onChange: () => void): () => void {
  const root = sessionsFolder(home)
  const watchers = new Map<string, FSWatcher>()

  function follow(): void {
    const days = new Set(newestDays(files, home, watchedDays))
    const above = [...days].flatMap((day) => [dirname(day), dirname(dirname(day))])
    const wanted = new Set([...(files.look(root) === null ? [home] : [root]), ...above, ...days])
    for (const path of watchers.keys()) if (!wanted.has(path)) end(path)
    for (const path of wanted) if (!watchers.has(path)) begin(path, days.has(path))
  }

  function begin(path: string, isDay: boolean): void {
    try {
      const watcher = watch(path, { persistent: false }, (_kind, name) => {
        // The index lies beside the folders of years, and every listing writes it.
        if (!isDay && name !== null && path !== home && !/^\d+$/.test(name)) return
        if (!isDay) follow()
        onChange()
      })
      watcher.on('error', () => end(path))
      watchers.set(path, watcher)
    } catch {
      // The folder is gone, or there are no more watches: its changes go unnoticed.
    }
  }

  function end(path: string): void {
    watchers.get(path)?.close()
    watchers.delete(path)
  }

  follow()
  return () => {
    for (const path of watchers.keys()) end(path)
  }
}
