import { rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Files, type SessionPaths, tornPath } from '@parley/journal'

/** Removes all that a conversation has on disk; the caller holds its lock, whose file goes when that is released. */
export function removeConversation(files: Files, paths: SessionPaths): void {
  const torn = basename(tornPath(paths.log, 0)).slice(0, -1)
  const names = files.look(paths.folder) === null ? [] : files.list(paths.folder)
  const pieces = names.filter((name) => name.startsWith(torn)).map((name) => join(paths.folder, name))
  for (const path of [paths.log, paths.sideFiles, ...pieces]) rmSync(path, { recursive: true, force: true })
}
