import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readOrMakeToken } from '../src/token-file.ts'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'parley-token-'))
})
afterEach(() => rmSync(root, { recursive: true }))

describe('the token file', () => {
  it('is created once with mode 0600', () => {
    const path = join(root, 'deep', 'token')
    const token = readOrMakeToken(path)
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readOrMakeToken(path)).toBe(token)
  })

  it('is rejected when others can read it, when it is empty or a link', () => {
    const path = join(root, 'token')
    writeFileSync(path, 'secret\n')
    chmodSync(path, 0o644)
    expect(() => readOrMakeToken(path)).toThrow(`chmod 600 ${path}`)
    chmodSync(path, 0o600)
    expect(readOrMakeToken(path)).toBe('secret')
    writeFileSync(path, ' \n')
    expect(() => readOrMakeToken(path)).toThrow('is empty')
    symlinkSync(path, join(root, 'link'))
    expect(() => readOrMakeToken(join(root, 'link'))).toThrow('is a link; put the file itself there')
  })

  it('that cannot be created or read is a usage error', () => {
    writeFileSync(join(root, 'file'), '')
    const below = join(root, 'file', 'token')
    expect(() => readOrMakeToken(below)).toThrow(`The token file ${below} cannot be used`)
    expect(() => readOrMakeToken(root)).toThrow(`The token file ${root} is no file`)
  })
})
