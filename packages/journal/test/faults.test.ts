import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Files, StorageError } from '../src/disk/files.ts'
import { nodeFiles } from '../src/disk/node-files.ts'
import { sessionPaths } from '../src/disk/session-paths.ts'
import { putSideFile, readSideFile } from '../src/disk/side-files.ts'
import { EventLog } from '../src/log/event-log.ts'
import { newHeader } from '../src/log/header.ts'
import { openLog } from '../src/log/open-log.ts'
import { LogView, textOf } from '../src/log/read-log.ts'
import { type ListingRows, listSessions } from '../src/sessions/session-index.ts'
import { thisProcess, WriterLock } from '../src/sessions/writer-lock.ts'
import { type FaultyFiles, faultyFiles } from './faulty-files.ts'
import { REPORTS, reportLine, SAMPLE_ID, sampleLine } from './sample-log.ts'
import { temporaryFolder } from './temporary-folder.ts'

const ROWS: ListingRows<number> = {
  fileName: 'index.jsonl',
  version: 1,
  tellingTypes: new Set(),
  goesOn: false,
  describe: ({ headLines }) => headLines.length,
  isRow: (value) => typeof value === 'number',
}

/** Operations that were reported to the session as done. */
interface Told {
  readonly saved: string[]
  readonly refs: string[]
}

function pathsIn(home: string) {
  const paths = sessionPaths(home, SAMPLE_ID)
  if (paths === null) throw new Error('no id')
  return paths
}

/** Returns null when the disk refused; any other error is a bug. */
async function attempt<T>(run: () => T | Promise<T>): Promise<T | null> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof StorageError) return null
    throw error
  }
}

/** Saves one line as the engine does: a retryable refusal is tried again, with the same line. */
async function save(log: EventLog, line: string, told: Told): Promise<boolean> {
  for (let tries = 0; tries < 3; tries++) {
    try {
      log.append([line])
      told.saved.push(line)
      return true
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      if (!error.retryable) return false
    }
  }
  return false
}

async function useLog(log: EventLog, from: number, { files, told, sideFiles }: Session): Promise<void> {
  for (let seq = from; seq < from + 4; seq++) {
    if (!(await save(log, sampleLine(seq), told))) break
    if (seq === from + 1) await attempt(() => log.synced())
  }
  const ref = await attempt(() => putSideFile(files, sideFiles, `output ${from}`))
  if (ref !== null) told.refs.push(ref)
  await attempt(() => log[Symbol.asyncDispose]())
}

interface Session {
  readonly files: Files
  readonly told: Told
  readonly sideFiles: string
}

/** A conversation begun, used, left and taken up again. */
async function session(files: Files, home: string): Promise<Told> {
  const told: Told = { saved: [], refs: [] }
  const paths = pathsIn(home)
  const begun = { files, told, sideFiles: paths.sideFiles }
  const lock = await attempt(() =>
    WriterLock.tryAcquire(files, paths, thisProcess(files, { program: 't', socket: null })),
  )
  if (!(lock instanceof WriterLock)) return told
  try {
    const create = () => EventLog.create(files, paths.log, { header: newHeader(SAMPLE_ID), home })
    const log = (await attempt(create)) ?? (await attempt(create))
    if (log !== null) await useLog(log, 1, begun)
    await attempt(() => listSessions(files, home, ROWS))
    const again = await attempt(() => openLog(files, paths.log, { reports: REPORTS }))
    if (again?.readOnly === false) await useLog(again.log, again.nextSeq, begun)
  } finally {
    lock[Symbol.dispose]()
  }
  return told
}

/** The promises, looked at with a disk that works again. */
async function expectPromisesKept(home: string, told: Told): Promise<void> {
  const paths = pathsIn(home)
  using lock = WriterLock.tryAcquire(
    nodeFiles,
    paths,
    thisProcess(nodeFiles, { program: 't', socket: null }),
  ) as WriterLock
  expect(lock).toBeInstanceOf(WriterLock)
  for (const ref of told.refs) expect(readSideFile(nodeFiles, { folder: paths.sideFiles, ref })).not.toBeNull()
  if (!existsSync(paths.log)) {
    expect(told.saved).toEqual([])
    return
  }
  const first = await openLog(nodeFiles, paths.log, { reports: REPORTS })
  if (first.readOnly) throw new Error(first.reason)
  const next = first.nextSeq
  first.log.append([reportLine(next, first.lost)])
  await first.log[Symbol.asyncDispose]()
  using view = LogView.open(nodeFiles, paths.log)
  const lines = [...view.lines()].map(textOf)
  expect(lines).toEqual([...told.saved, reportLine(next, first.lost)])
  const second = await openLog(nodeFiles, paths.log, { reports: REPORTS })
  expect(second).toMatchObject({ lost: [], torn: null })
  if (!second.readOnly) await second.log[Symbol.asyncDispose]()
  expect(await listSessions(nodeFiles, home, ROWS)).toHaveLength(1)
}

function filesBelow(home: string): readonly string[] {
  return readdirSync(home, { recursive: true, encoding: 'utf8' })
}

function openDescriptors(): number {
  return existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0
}

interface Sweep {
  /** Files that fail in the nth run. */
  readonly faults: (n: number) => FaultyFiles
  readonly check?: (home: string) => void
  /** Stops the sweep of a test whose time is up: what it has open would count for the next test. */
  readonly signal: AbortSignal
}

/** Runs the session with a fault at every operation, until one run meets none. */
async function sweep({ faults, check = () => {}, signal }: Sweep): Promise<number> {
  const before = openDescriptors()
  for (let n = 1; ; n++) {
    signal.throwIfAborted()
    using folder = temporaryFolder()
    const { files, count } = faults(n)
    const told = await session(files, folder.path)
    check(folder.path)
    await expectPromisesKept(folder.path, told)
    expect(openDescriptors()).toBe(before)
    if (count() < n) {
      expect(told.saved).toHaveLength(8)
      return n
    }
  }
}

// Each run waits for the disk many times, which takes ten times as long when others write.
describe('a session with a disk that fails', { timeout: 180_000 }, () => {
  it.for(['ENOSPC', 'EIO', 'EACCES'])(
    'once, at any operation, with %s loses nothing it was told is saved',
    async (code, { signal }) => {
      const runs = await sweep({
        faults: (n) => faultyFiles((_, nth) => (nth === n ? code : null)),
        check: (home) => expect(filesBelow(home).filter((name) => name.endsWith('.tmp'))).toEqual([]),
        signal,
      })
      expect(runs).toBeGreaterThan(60)
    },
  )

  it('loses nothing that was reported as saved, whichever operation fails', async ({ signal }) => {
    await sweep({ faults: (n) => faultyFiles((_, nth) => (nth >= n ? 'EIO' : null)), signal })
  })

  it('loses nothing that was reported as saved, whichever operation fails after a short write', async ({ signal }) => {
    await sweep({
      faults: (n) =>
        faultyFiles((operation, nth) => (nth < n ? null : nth === n && operation === 'write' ? 'short' : 'ENOSPC')),
      signal,
    })
  })
})
