import type { Users } from '@parley/engine'
import { addUser, listUsers, removeUser, renewToken } from './manage-users.ts'
import { createRightsOfToken } from './rights-of-token.ts'
import { openUsersFile, type UsersFile } from './users-file.ts'

/** Users of a server, as the engine and the listeners use them. */
export interface ServerUsers extends Users, Disposable, Pick<UsersFile, 'file' | 'lines' | 'problem' | 'onChange'> {}

/** Opens a users file; one that is missing, or that cannot be used and is reported, has no users. */
export function openUsers(path: string, report: (sentence: string) => void): ServerUsers {
  const file = openUsersFile(path, report)
  return {
    file: file.file,
    get lines() {
      return file.lines
    },
    get problem() {
      return file.problem
    },
    refresh: file.refresh,
    has: (name) => file.find(name) !== null,
    rightsIn: (source, now) => createRightsOfToken({ users: file, source, now }),
    list: () => listUsers(file),
    add: (params) => addUser(file, params),
    remove: (params) => removeUser(file, params),
    renewToken: (params) => renewToken(file, params),
    onChange: file.onChange,
    [Symbol.dispose]: () => file[Symbol.dispose](),
  }
}
