import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LockedFileError, openUnlockedHandle } from '@parley/host'
import { describe, expect, it } from 'vitest'
import { nodeFiles } from '../../src/disk/node-files.ts'
import { type SessionPaths, sessionPaths } from '../../src/disk/session-paths.ts'
import { type Owner, thisProcess, WriterLock } from '../../src/sessions/writer-lock.ts'
import { failNth } from '../faulty-files.ts'
import { logText, SAMPLE_ID, sampleLines } from '../sample-log.ts'
import { startLockHolder } from '../start-lock-holder.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const ME: Owner = { pid: process.pid, startTime: '1', bootId: 'b', socket: '/run/s', program: 'test' }

function pathsIn(home: string): SessionPaths {
  const paths = sessionPaths(home, SAMPLE_ID)
  if (paths === null) throw new Error('no id')
  return paths
}

function acquire(paths: SessionPaths): WriterLock {
  const lock = WriterLock.tryAcquire(nodeFiles, paths, ME)
  if (!(lock instanceof WriterLock)) throw new Error(`held by ${lock.heldBy?.pid}`)
  return lock
}

describe('the lock of a writer', () => {
  it('names its owner while it is held', () => {
    using folder = temporaryFolder()
    const paths = pathsIn(folder.path)
    {
      using lock = acquire(paths)
      expect(JSON.parse(readFileSync(paths.owner, 'utf8'))).toEqual(ME)
      expect(WriterLock.tryAcquire(nodeFiles, paths, ME)).toEqual({ heldBy: ME })
      lock.announce({ ...ME, socket: null })
      expect(WriterLock.tryAcquire(nodeFiles, paths, ME)).toEqual({ heldBy: { ...ME, socket: null } })
    }
    expect(existsSync(paths.owner)).toBe(false)
    using again = acquire(paths)
    again[Symbol.dispose]()
  })

  it('is refused without an owner when the owner file is damaged', () => {
    using folder = temporaryFolder()
    const paths = pathsIn(folder.path)
    using _ = acquire(paths)
    for (const text of ['', '{"pid":1', '[]', '{"pid":"1"}']) {
      writeFileSync(paths.owner, text)
      expect(WriterLock.tryAcquire(nodeFiles, paths, ME)).toEqual({ heldBy: null })
    }
  })

  it('is acquired also when the owner file cannot be written', () => {
    using folder = temporaryFolder()
    const paths = pathsIn(folder.path)
    using lock = WriterLock.tryAcquire(failNth('write', 1, 'ENOSPC').files, paths, ME) as WriterLock
    expect(lock).toBeInstanceOf(WriterLock)
    expect(WriterLock.tryAcquire(nodeFiles, paths, ME)).toEqual({ heldBy: null })
    expect(readdirSync(paths.folder)).toEqual([`${SAMPLE_ID}.lock`])
  })

  it('is not taken through a planted link, nor on a file that is no lock', () => {
    using folder = temporaryFolder()
    const paths = pathsIn(folder.path)
    mkdirSync(paths.folder, { recursive: true })
    symlinkSync('/nowhere', paths.lock)
    expect(() => acquire(paths)).toThrow('ENOTREG')
    const other = join(folder.path, 'other.lock')
    writeFileSync(other, 'no database, for sure. '.repeat(60))
    expect(() => WriterLock.tryAcquire(nodeFiles, { lock: other, owner: `${other}.json` }, ME)).toThrow(
      'LOCK_UNAVAILABLE',
    )
  })

  it('leaves an empty file of 0600 and no journal', () => {
    using folder = temporaryFolder()
    const paths = pathsIn(folder.path)
    acquire(paths)[Symbol.dispose]()
    expect(readdirSync(paths.folder)).toEqual([`${SAMPLE_ID}.lock`])
    const { size, mode } = statSync(paths.lock)
    expect([size, mode & 0o777]).toEqual([0, 0o600])
  })

  it('names a process so that no later one can be taken for it', () => {
    const owner = thisProcess(nodeFiles, { program: 'test', socket: null })
    expect(owner).toMatchObject({ pid: process.pid, program: 'test', socket: null })
    if (process.platform !== 'linux') return
    expect(owner.startTime).toMatch(/^\d+$/)
    expect(owner.bootId).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('the lock between processes', { timeout: 60_000 }, () => {
  it('is refused while another has it, and free the moment that one is killed', async () => {
    using folder = temporaryFolder()
    const paths = pathsIn(folder.path)
    await using holder = startLockHolder(folder.path, SAMPLE_ID)
    expect(await holder.ask('acquire')).toBe(`held ${holder.child.pid}`)
    expect(WriterLock.tryAcquire(nodeFiles, paths, ME)).toMatchObject({ heldBy: { pid: holder.child.pid } })
    await holder.kill()
    using _ = acquire(paths)
    expect(JSON.parse(readFileSync(paths.owner, 'utf8'))).toEqual(ME)
  })

  it('is one of many that share a connection, and is held, refused and freed by itself', async () => {
    using folder = temporaryFolder()
    const paths = pathsIn(folder.path)
    mkdirSync(paths.folder, { recursive: true })
    await using other = startLockHolder(folder.path, SAMPLE_ID)
    const pathOf = (name: string) => join(paths.folder, name)
    const names = Array.from({ length: 12 }, (_, nth) => `${String.fromCodePoint(97 + nth)}.lock`)
    const held = new Map(names.map((name) => [name, nodeFiles.lock(pathOf(name))]))
    held.get('b.lock')?.release()
    held.get('l.lock')?.release()
    expect(await other.ask('heldLocks')).toBe('a.lock c.lock d.lock e.lock f.lock g.lock h.lock i.lock j.lock k.lock')
    await other.ask('acquire')
    // A lock that is refused, and a file that is gone, are nothing to those beside them.
    expect(nodeFiles.lock(paths.lock)).toBeNull()
    expect(nodeFiles.lock(pathOf('c.lock'))).toBeNull()
    rmSync(pathOf('d.lock'))
    held.set('b.lock', nodeFiles.lock(pathOf('b.lock')))
    await other.ask('release')
    expect(await other.ask('heldLocks')).toBe('a.lock b.lock c.lock e.lock f.lock g.lock h.lock i.lock j.lock k.lock')
    for (const lock of held.values()) lock?.release()
    expect(await other.ask('heldLocks')).toBe('')
    expect(statSync(pathOf('a.lock')).size).toBe(0)
  })

  it('stays refused while its owner is only paused', async () => {
    using folder = temporaryFolder()
    await using holder = startLockHolder(folder.path, SAMPLE_ID)
    await holder.ask('acquire')
    holder.child.kill('SIGSTOP')
    expect(WriterLock.tryAcquire(nodeFiles, pathsIn(folder.path), ME)).toMatchObject({ heldBy: { program: 'holder' } })
    holder.child.kill('SIGCONT')
    expect(await holder.ask('release')).toBe('released')
    acquire(pathsIn(folder.path))[Symbol.dispose]()
  })

  it('is kept while its owner lists and reads the whole folder, and tries to take it again', async () => {
    using folder = temporaryFolder()
    const paths = pathsIn(folder.path)
    await using holder = startLockHolder(folder.path, SAMPLE_ID)
    await holder.ask('acquire')
    writeFileSync(paths.log, logText(sampleLines(5)))
    expect(await holder.ask('read')).toBe('read')
    expect(WriterLock.tryAcquire(nodeFiles, paths, ME)).toMatchObject({ heldBy: { pid: holder.child.pid } })
    await using third = startLockHolder(folder.path, SAMPLE_ID)
    expect(await third.ask('acquire')).toBe(`refused ${holder.child.pid}`)
  })

  it('is kept although its owner opened everything past all rules, until that owner is killed', async () => {
    using folder = temporaryFolder()
    await using holder = startLockHolder(folder.path, SAMPLE_ID)
    await holder.ask('acquire')
    await holder.ask('readPastRules')
    await using other = startLockHolder(folder.path, SAMPLE_ID)
    expect(await other.ask('kernelLock')).toBe('free')
    expect(await other.ask('acquire')).toBe(`refused ${holder.child.pid}`)
    holder.child.kill('SIGSTOP')
    expect(await other.ask('acquire')).toBe(`refused ${holder.child.pid}`)
    await holder.kill()
    expect(await other.ask('acquire')).toBe(`held ${other.child.pid}`)
  })

  it.runIf(process.platform === 'linux')('is kept although its file was deleted', async () => {
    using folder = temporaryFolder()
    const paths = pathsIn(folder.path)
    await using holder = startLockHolder(folder.path, SAMPLE_ID)
    await holder.ask('acquire')
    rmSync(paths.lock)
    const me = thisProcess(nodeFiles, { program: 'test', socket: null })
    expect(WriterLock.tryAcquire(nodeFiles, paths, me)).toMatchObject({ heldBy: { pid: holder.child.pid } })
  })

  it('is kept although its file was being opened when it was taken', async () => {
    using folder = temporaryFolder()
    const paths = pathsIn(folder.path)
    acquire(paths)[Symbol.dispose]()
    const opening = openUnlockedHandle(paths.lock, 'r')
    using lock = acquire(paths)
    await expect(opening).rejects.toThrow(LockedFileError)
    await using holder = startLockHolder(folder.path, SAMPLE_ID)
    expect(await holder.ask('acquire')).toBe(`refused ${process.pid}`)
    lock[Symbol.dispose]()
    expect(await holder.ask('acquire')).toBe(`held ${holder.child.pid}`)
  })

  it('is not acquired while its file is open, as closing the file would drop the lock', async () => {
    using folder = temporaryFolder()
    const paths = pathsIn(folder.path)
    acquire(paths)[Symbol.dispose]()
    const handle = await openUnlockedHandle(paths.lock, 'r')
    expect(() => acquire(paths)).toThrow('LOCK_UNAVAILABLE')
    await handle.close()
    using _ = acquire(paths)
    await using holder = startLockHolder(folder.path, SAMPLE_ID)
    expect(await holder.ask('acquire')).toBe(`refused ${process.pid}`)
  })

  it('goes to one of ten processes that ask at once', async () => {
    using folder = temporaryFolder()
    const holders = Array.from({ length: 10 }, () => startLockHolder(folder.path, SAMPLE_ID))
    try {
      const answers = await Promise.all(holders.map((holder) => holder.ask('acquire')))
      expect(answers.filter((answer) => answer.startsWith('held'))).toHaveLength(1)
    } finally {
      await Promise.all(holders.map((holder) => holder.kill()))
    }
  })
})
