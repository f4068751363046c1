import { join, sep } from 'node:path'
import type { Files } from './files.ts'
import { createdAtMs, idOfLogName, sessionsFolder } from './session-paths.ts'
import { hasCode } from './storage-error.ts'

export interface SessionFile {
  readonly id: string
  readonly path: string
}

const DAY_MS = 86_400_000
const YEAR = /^\d{4,}$/
const TWO_DIGITS = /^\d\d$/

/** Every log by its name alone; nothing is opened. A log outside its own day's folder is no session: its id would not find it. */
export function walkSessions(files: Files, home: string): readonly SessionFile[] {
  const root = sessionsFolder(home)
  return named(files, root, YEAR).flatMap((year) =>
    named(files, join(root, year), TWO_DIGITS).flatMap((month) =>
      named(files, join(root, year, month), TWO_DIGITS).flatMap((day) => logsOf(files, root, [year, month, day])),
    ),
  )
}

function logsOf(files: Files, root: string, day: readonly [string, string, string]): readonly SessionFile[] {
  const folder = join(root, ...day)
  const [year, month, date] = day.map(Number)
  const from = Date.UTC(year ?? 0, (month ?? 0) - 1, date)
  return list(files, folder).flatMap((name) => {
    const id = idOfLogName(name)
    if (id === null) return []
    const sinceMs = createdAtMs(id) - from
    return sinceMs >= 0 && sinceMs < DAY_MS ? [{ id, path: `${folder}${sep}${name}` }] : []
  })
}

function named(files: Files, path: string, pattern: RegExp): readonly string[] {
  return list(files, path).filter((name) => pattern.test(name))
}

function list(files: Files, path: string): readonly string[] {
  try {
    return files.list(path)
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}
