import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeRunFolder } from '../src/run-folder.ts'

const uid = process.getuid?.() ?? 0
let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'parley-run-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const make = (env: Record<string, string> = {}, owner = uid) => makeRunFolder({ env, uid: owner, shared: root })

describe('the run folder', () => {
  it('is created in XDG_RUNTIME_DIR with mode 0700', () => {
    expect(make({ XDG_RUNTIME_DIR: root })).toEqual({ path: join(root, 'parley') })
    expect(statSync(join(root, 'parley')).mode & 0o777).toBe(0o700)
    expect(make({ XDG_RUNTIME_DIR: root })).toEqual({ path: join(root, 'parley') })
  })

  it('is created in the shared folder without XDG_RUNTIME_DIR', () => {
    const own = { path: join(root, `parley-${uid}`) }
    expect([make(), make({ XDG_RUNTIME_DIR: '' }), make({ XDG_RUNTIME_DIR: '/not/there' })]).toEqual([own, own, own])
  })

  it('is made private when it is open to others', () => {
    mkdirSync(join(root, `parley-${uid}`))
    chmodSync(join(root, `parley-${uid}`), 0o777)
    expect(make()).toEqual({ path: join(root, `parley-${uid}`) })
    expect(statSync(join(root, `parley-${uid}`)).mode & 0o777).toBe(0o700)
  })

  it.each([0o777, 0o277])('can be entered by its owner although the umask is %o', (mask) => {
    const before = process.umask(mask)
    try {
      expect(make()).toEqual({ path: join(root, `parley-${uid}`) })
    } finally {
      process.umask(before)
    }
    expect(statSync(join(root, `parley-${uid}`)).mode & 0o777).toBe(0o700)
  })

  it("is rejected when it is a link, a file, or another user's", () => {
    const path = join(root, `parley-${uid}`)
    mkdirSync(join(root, 'elsewhere'))
    symlinkSync(join(root, 'elsewhere'), path)
    expect(make()).toEqual({ problem: `${path} is not a folder` })
    rmSync(path)
    writeFileSync(path, '')
    expect(make()).toEqual({ problem: `${path} is not a folder` })
    mkdirSync(join(root, 'parley-12345'))
    expect(make({}, 12_345)).toEqual({ problem: `${join(root, 'parley-12345')} belongs to another user` })
  })
})
