import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createLateSpool, openSpool, type SpoolDisk } from '../../src/output/spool.ts'
import { openWorkspace } from '../workspace.ts'

/** Creates a disk that takes `room` bytes, at most 3 at a time, and then fails. */
function fullDisk(room: number, code: string): SpoolDisk & { written: Buffer[]; open: number } {
  return {
    written: [],
    open: 0,
    create() {
      this.open += 1
      return 1
    },
    write(_fd, bytes) {
      const used = this.written.reduce((sum, piece) => sum + piece.length, 0)
      if (used >= room) throw Object.assign(new Error(code), { code })
      const taken = bytes.subarray(0, Math.min(3, room - used))
      this.written.push(Buffer.from(taken))
      return taken.length
    },
    close() {
      this.open -= 1
    },
  }
}

describe('the spool', () => {
  it('holds every byte in a file that only its owner can read', () => {
    using workspace = openWorkspace()
    const path = workspace.path('out')
    const previous = process.umask(0)
    const spool = openSpool({ path })
    process.umask(previous)
    spool.write(Buffer.from('one '))
    spool.write(Buffer.from([0, 255]))
    expect(spool.close()).toEqual({ path, bytes: 6, complete: true })
    expect(readFileSync(path)).toEqual(Buffer.from([...Buffer.from('one '), 0, 255]))
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it.each([
    [4, 4, true],
    [3, 3, false],
    [0, 0, false],
  ])('with a cap of %i holds %i of 4 bytes; complete: %s', (maxBytes, bytes, complete) => {
    using workspace = openWorkspace()
    const spool = openSpool({ path: workspace.path('out'), maxBytes })
    spool.write(Buffer.from('ab'))
    spool.write(Buffer.from('cd'))
    expect(spool.close()).toEqual({ path: workspace.path('out'), bytes, complete })
    expect(readFileSync(workspace.path('out'), 'utf8')).toBe('abcd'.slice(0, bytes))
  })

  it.each(['ENOSPC', 'EIO'])('%s stops the writing and reports what was written', (code) => {
    const disk = fullDisk(5, code)
    const spool = openSpool({ path: '/spool' }, disk)
    spool.write(Buffer.from('abcd'))
    spool.write(Buffer.from('efgh'))
    spool.write(Buffer.from('ijkl'))
    expect(spool.close()).toEqual({ path: '/spool', bytes: 5, complete: false, errorCode: code })
    expect(Buffer.concat(disk.written).toString()).toBe('abcde')
    expect(disk.open).toBe(0)
  })

  it('does not write through a planted link', () => {
    using workspace = openWorkspace()
    writeFileSync(workspace.path('victim'), 'kept')
    symlinkSync(workspace.path('victim'), workspace.path('out'))
    const spool = openSpool({ path: workspace.path('out') })
    spool.write(Buffer.from('x'))
    expect(spool.close()).toMatchObject({ bytes: 0, complete: false, errorCode: 'EEXIST' })
    expect(readFileSync(workspace.path('victim'), 'utf8')).toBe('kept')
  })

  it('reports a directory that does not exist', () => {
    using workspace = openWorkspace()
    expect(openSpool({ path: workspace.path('no/out') }).close()).toMatchObject({
      complete: false,
      errorCode: 'ENOENT',
    })
  })
})

describe('a late spool', () => {
  it('makes no file up to its threshold', () => {
    using workspace = openWorkspace()
    const path = workspace.path('out')
    const spool = createLateSpool({ path, afterBytes: 4 })
    spool.write(Buffer.from('ab'))
    spool.write(Buffer.from('cd'))
    expect(spool.close()).toBeUndefined()
    expect(existsSync(path)).toBe(false)
  })

  it('holds everything past its threshold, earlier chunks included, although their buffer was overwritten', () => {
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

  it('makes a file for the first byte by default', () => {
    using workspace = openWorkspace()
    const path = workspace.path('out')
    const spool = createLateSpool({ path })
    spool.write(Buffer.from('a'))
    expect(spool.close()).toEqual({ path, bytes: 1, complete: true })
  })
})
