import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import { hashToken, isSameHash } from '@parley/engine'
import { fileStamp, NotPrivateError, readPrivateFile } from '@parley/host'
import { makeFolders, makeSyncedFile, nodeFiles, replaceSyncedFile } from '@parley/journal'
import { systemErrorReason } from '@parley/workspace'
import { formatUsers, parseUsers, type User, UsersFileError, type UsersLine } from './users-text.ts'

/** File of the users of a server, which is read again when it has changed. */
export interface UsersFile extends Disposable {
  readonly file: string
  /** Returns the user with this token; null for an unknown token. */
  byToken(token: string): User | null
  /** Returns the user of this name as of the last look at the file; null for an unknown or removed one. */
  find(name: string): User | null
  /** Looks at the file now. */
  refresh(): void
  readonly lines: readonly UsersLine[]
  /** Sentence about a fault of the file; null while it can be read. Its former users count meanwhile. */
  readonly problem: string | null
  /** Changes the file. Throws `UsersFileError`. */
  change(plan: (lines: readonly UsersLine[]) => readonly UsersLine[]): void
  /** Calls a listener after each change of the users. Returns the function that removes it. */
  onChange(listener: () => void): () => void
}

const kept = 'The users it had before count on until it can be read.'

/** Time between two looks at the file, in ms: a removed user is disconnected after that. */
const lookMs = 1000

/** Opens a users file; one that is missing, or that cannot be used and is reported, has no users. */
export function openUsersFile(file: string, report: (sentence: string) => void): UsersFile {
  const listeners = new Set<() => void>()
  let stamp: string | null = null
  let lines: readonly UsersLine[] = []
  let users = usersIn(lines)
  let problem: string | null = null

  function refresh(): void {
    try {
      const now = stampOf(file)
      if (now === stamp) return
      stamp = now
      lines = readLines(file)
      users = usersIn(lines)
      problem = null
    } catch (error) {
      if (!(error instanceof UsersFileError)) throw error
      const before = problem
      const meanwhile = users.size === 0 ? 'It has no users until it can be read.' : kept
      problem = `${error.message} ${meanwhile}`
      if (problem !== before) report(problem)
      return
    }
    for (const listener of listeners) listener()
  }

  refresh()
  const timer = setInterval(refresh, lookMs).unref()
  return {
    file,
    byToken(token) {
      refresh()
      const given = hashToken(token)
      // All are compared, so that the time does not depend on the user.
      const [found = null] = [...users.values()].filter(({ tokenHash }) => isSameHash(tokenHash, given))
      return found
    },
    find: (name) => users.get(name) ?? null,
    refresh,
    get lines() {
      refresh()
      return lines
    },
    get problem() {
      refresh()
      return problem
    },
    change(plan) {
      writeUsers(file, plan)
      refresh()
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

export function newToken(): { readonly token: string; readonly tokenHash: string } {
  const token = randomBytes(32).toString('base64url')
  return { token, tokenHash: hashToken(token) }
}

function usersIn(lines: readonly UsersLine[]): ReadonlyMap<string, User> {
  return new Map(lines.flatMap((line) => (line.kind === 'user' ? [[line.user.name, line.user] as const] : [])))
}

function stampOf(file: string): string | null {
  try {
    return fileStamp(file)
  } catch (error) {
    throw new UsersFileError(`The users file ${file} cannot be read: ${systemErrorReason(error)}.`)
  }
}

function readLines(file: string): readonly UsersLine[] {
  try {
    return parseUsers(readPrivateFile(file))
  } catch (error) {
    if (error instanceof UsersFileError) throw new UsersFileError(`The users file ${file}, ${error.message}`)
    if (error instanceof NotPrivateError) throw new UsersFileError(`The users file ${file} ${error.message}.`)
    throw new UsersFileError(`The users file ${file} cannot be read: ${systemErrorReason(error)}.`)
  }
}

/** Replaces the file, whatever other programs write to it meanwhile. */
function writeUsers(file: string, plan: (lines: readonly UsersLine[]) => readonly UsersLine[]): void {
  try {
    for (;;) {
      const before = stampOf(file)
      if (before === null) {
        makeFolders(nodeFiles, dirname(file))
        if (makeSyncedFile(file, formatUsers(plan([])))) return
        continue
      }
      const content = formatUsers(plan(readLines(file)))
      if (replaceSyncedFile(file, { content, mode: 0o600 }, () => stampOf(file) === before)) return
    }
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw new UsersFileError(`The users file ${file} cannot be written: ${systemErrorReason(error)}.`)
    throw error
  }
}
