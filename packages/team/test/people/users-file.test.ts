import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openUsersFile } from '../../src/people/users-file.ts'
import { formatUsers, parseUsers } from '../../src/people/users-text.ts'

const hash = 'a'.repeat(64)

it('a users file is written as it was read, with the words of people in it', () => {
  const text = `# ours\nada admin sha256:${hash}\n\nbo member sha256:${hash} max-sandbox=read-only\ncy removed\n`
  expect(formatUsers(parseUsers(text))).toBe(text)
})

it.each([
  ['Ada admin', 1, 'the name may have'],
  [`ada admin sha256:${hash}\n\nada member sha256:${hash}`, 3, 'ada stands in a line before'],
  ['ada owner', 1, 'after the name comes admin, member or removed'],
  ['ada admin', 1, 'after the role comes sha256:'],
  [`ada admin sha256:${hash.slice(1)}`, 1, 'after the role comes sha256:'],
  [`ada admin sha256:${hash} max-sandbox=all`, 1, 'after the hash may come max-sandbox='],
  [`ada admin sha256:${hash} max-sandbox=read-only more`, 1, 'after the hash may come max-sandbox='],
  ['__proto__ admin', 1, 'the name may have'],
])('%j is refused with its line and the reason', (text, line, reason) => {
  expect(() => parseUsers(text)).toThrow(`line ${line}: ${reason}`)
})

it('a file that others can read, a link and a folder are not used', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-users-'))
  try {
    const file = join(folder, 'users')
    writeFileSync(file, '', { mode: 0o644 })
    chmodSync(file, 0o644)
    expect(problemOf(file)).toContain(`chmod 600 ${file}`)
    chmodSync(file, 0o600)
    symlinkSync(file, join(folder, 'link'))
    expect(problemOf(join(folder, 'link'))).toContain('is a link; put the file itself there. It has no users')
    expect(problemOf(folder)).toContain('is no file')
    using users = openUsersFile(file, () => undefined)
    expect(users.byToken('')).toBeNull()
  } finally {
    rmSync(folder, { recursive: true })
  }
})

function problemOf(file: string): string | null {
  using users = openUsersFile(file, () => undefined)
  return users.problem
}
