import { nameForm, type SandboxMode, sandboxModes } from '@parley/protocol'

export interface User {
  readonly name: string
  /** `admin` manages users, and reads no more than others do. */
  readonly role: 'admin' | 'member'
  /** SHA-256 of the token, in hex. Tokens are 256 random bits, so that no salt is needed. */
  readonly tokenHash: string
  /** Highest sandbox mode for conversations of the user; absent for the mode that the server allows. */
  readonly maxSandbox?: SandboxMode
}

/** Line of a users file: a user, a name that is not given again, or text of the file's editors. */
export type UsersLine =
  | { readonly kind: 'user'; readonly user: User }
  | { readonly kind: 'removed'; readonly name: string }
  | { readonly kind: 'remark'; readonly text: string }

/** Fault in a users file; the message names the line. */
export class UsersFileError extends Error {
  override readonly name = 'UsersFileError'
}

/** Reads the text of a users file. Throws `UsersFileError` at its first fault: half of the users are not let in. */
export function parseUsers(text: string): readonly UsersLine[] {
  const names = new Set<string>()
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line, index) => {
      const fault = (reason: string) => new UsersFileError(`line ${index + 1}: ${reason}`)
      if (line.trim() === '' || line.startsWith('#')) return { kind: 'remark', text: line }
      const parsed = parseLine(line.trim().split(/\s+/), fault)
      const name = parsed.kind === 'user' ? parsed.user.name : parsed.name
      if (names.has(name)) throw fault(`${name} stands in a line before, too.`)
      names.add(name)
      return parsed
    })
}

type Named = Exclude<UsersLine, { kind: 'remark' }>

function parseLine(words: readonly string[], fault: (reason: string) => UsersFileError): Named {
  const [name = '', role = '', hash = '', ...more] = words
  if (!nameForm.test(name))
    throw fault(
      'the name may have small letters, digits and . _ - and at most 32 of them, and begins with a letter or digit.',
    )
  if (role === 'removed' && hash === '') return { kind: 'removed', name }
  if (role !== 'admin' && role !== 'member')
    throw fault(`after the name comes admin, member or removed, not ${JSON.stringify(role)}.`)
  const [, tokenHash] = /^sha256:([0-9a-f]{64})$/.exec(hash) ?? []
  if (tokenHash === undefined)
    throw fault('after the role comes sha256: with 64 hex digits. parley user token NAME makes them.')
  return { kind: 'user', user: { name, role, tokenHash, ...readCeiling(more, fault) } }
}

function readCeiling(words: readonly string[], fault: (reason: string) => UsersFileError): Pick<User, 'maxSandbox'> {
  const [word, extra] = words
  if (word === undefined) return {}
  const maxSandbox = sandboxModes.find((mode) => word === `max-sandbox=${mode}`)
  if (maxSandbox === undefined || extra !== undefined)
    throw fault(`after the hash may come max-sandbox= with ${sandboxModes.join(', ')}, and nothing more.`)
  return { maxSandbox }
}

const heading = '# Users of a parley server: NAME admin|member sha256:HASH [max-sandbox=MODE]'

export function formatUsers(lines: readonly UsersLine[]): string {
  const all = lines.length === 0 ? [] : lines.map(formatLine)
  return `${[...(lines[0]?.kind === 'remark' ? [] : [heading]), ...all].join('\n')}\n`
}

function formatLine(line: UsersLine): string {
  switch (line.kind) {
    case 'remark':
      return line.text
    case 'removed':
      return `${line.name} removed`
    case 'user': {
      const { name, role, tokenHash, maxSandbox } = line.user
      return `${name} ${role} sha256:${tokenHash}${maxSandbox === undefined ? '' : ` max-sandbox=${maxSandbox}`}`
    }
  }
}
