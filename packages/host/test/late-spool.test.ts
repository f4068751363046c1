import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createLateSpool } from '../src/late-spool.ts'
import { openWorkspace } from './workspace.ts'

describe('a late spool', () => {
  it('makes no file for as little as it was told', () => {
    using workspace = openWorkspace()
    const path = workspace.path('out')
    const spool = createLateSpool({ path, afterBytes: 4 })
    spool.write(Buffer.from('ab'))
    spool.write(Buffer.from('cd'))
    expect(spool.close()).toBeUndefined()
    expect(existsSync(path)).toBe(false)
  })

  it('holds everything once there is more, also what came before and was overwritten since', () => {
    using workspace = openWorkspace()
    const path = workspace.path('out')
    const spool = createLateSpool({ path, afterBytes: 4 })
    const reused = Buffer.from('abc')
    spool.write(reused)
    reused.write('xyz')
    spool.write(Buffer.from('de'))
    spool.write(Buffer.from('f'))
    expect(spool.close()).toEqual({ path, bytes: 6, complete: true })
    expect(readFileSync(path, 'utf8')).toBe('abcdef')
  })

  it('makes a file for the first byte unless told otherwise', () => {
    using workspace = openWorkspace()
    const path = workspace.path('out')
    const spool = createLateSpool({ path })
    spool.write(Buffer.from('a'))
    expect(spool.close()).toEqual({ path, bytes: 1, complete: true })
  })
})
