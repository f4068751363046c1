import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { Files } from '../../src/disk/files.ts'
import { nodeFiles } from '../../src/disk/node-files.ts'
import { EventLog } from '../../src/log/event-log.ts'
import { slowSyncMs } from '../../src/log/grouped-sync.ts'
import { newHeader } from '../../src/log/header.ts'
import { faultyFiles } from '../faulty-files.ts'
import { logText, SAMPLE_ID, sampleLine, sampleLines } from '../sample-log.ts'
import { temporaryFolder } from '../temporary-folder.ts'

function createIn(home: string, files: Files = nodeFiles): EventLog {
  const path = join(home, 'sessions', '2025', `${SAMPLE_ID}.jsonl`)
  return EventLog.create(files, path, { header: newHeader(SAMPLE_ID), home })
}

function copyOf(path: string): string {
  writeFileSync(`${path}.new`, readFileSync(path))
  return `${path}.new`
}

const textOf = (log: EventLog) => readFileSync(log.path, 'utf8')

describe('a log', () => {
  it('begins with its header and holds the lines given, saying where each batch begins', async () => {
    using folder = temporaryFolder()
    await using log = createIn(folder.path)
    const first = log.append(sampleLines(2))
    const second = log.append(sampleLines(2, 3))
    expect(textOf(log)).toBe(logText(sampleLines(4)))
    expect(readFileSync(log.path).subarray(first).toString().startsWith('{"seq":1,')).toBe(true)
    expect(readFileSync(log.path).subarray(second).toString().startsWith('{"seq":3,')).toBe(true)
    expect(log.sizeBytes).toBe(statSync(log.path).size)
  })

  it('is not created over another file, nor through a planted link', () => {
    using folder = temporaryFolder()
    const path = join(folder.path, `${SAMPLE_ID}.jsonl`)
    const target = join(folder.path, 'target')
    symlinkSync(target, path)
    const start = { header: newHeader(SAMPLE_ID), home: folder.path }
    expect(() => EventLog.create(nodeFiles, path, start)).toThrow('EEXIST')
    writeFileSync(target, 'mine')
    expect(() => EventLog.create(nodeFiles, path, start)).toThrow('EEXIST')
    expect(readFileSync(target, 'utf8')).toBe('mine')
  })

  it('that cannot be begun is not there, and can be begun again', async () => {
    using folder = temporaryFolder()
    let isFull = true
    const { files } = faultyFiles((operation) => (operation === 'write' && isFull ? 'ENOSPC' : null))
    expect(() => createIn(folder.path, files)).toThrow(expect.objectContaining({ code: 'ENOSPC', retryable: true }))
    isFull = false
    await using log = createIn(folder.path, files)
    expect(textOf(log)).toBe(logText([]))
  })

  it('takes no more lines once it is closed, and may be closed twice', async () => {
    using folder = temporaryFolder()
    const log = createIn(folder.path)
    await log[Symbol.asyncDispose]()
    await log[Symbol.asyncDispose]()
    expect(() => log.append(sampleLines(1))).toThrow('CLOSED')
    await expect(log.synced()).rejects.toMatchObject({ code: 'CLOSED' })
  })
})

describe('a write that fails', () => {
  it.each(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS'])(
    'with %s leaves nothing half-written and can be done again',
    async (code) => {
      using folder = temporaryFolder()
      let plan: (string | null)[] = []
      const { files } = faultyFiles((operation) => (operation === 'write' ? (plan.shift() ?? null) : null))
      await using log = createIn(folder.path, files)
      log.append(sampleLines(2))
      plan = ['short', 'short', code]
      expect(() => log.append(sampleLines(3, 3))).toThrow(expect.objectContaining({ code, retryable: true }))
      expect(textOf(log)).toBe(logText(sampleLines(2)))
      log.append(sampleLines(3, 3))
      expect(textOf(log)).toBe(logText(sampleLines(5)))
    },
  )

  it('continues after a short write without an error', async () => {
    using folder = temporaryFolder()
    const { files } = faultyFiles((operation) => (operation === 'write' ? 'short' : null))
    await using log = createIn(folder.path, files)
    log.append(sampleLines(3))
    expect(textOf(log)).toBe(logText(sampleLines(3)))
  })

  it('whose cutting back fails too is cut back before the next one', async () => {
    using folder = temporaryFolder()
    let plan: (string | null)[] = []
    const { files } = faultyFiles((operation) =>
      operation === 'write' || operation === 'truncate' ? (plan.shift() ?? null) : null,
    )
    await using log = createIn(folder.path, files)
    plan = ['short', 'ENOSPC', 'EIO', 'EIO']
    expect(() => log.append([sampleLine(1)])).toThrow('ENOSPC')
    expect(() => log.append([sampleLine(1)])).toThrow('EIO')
    log.append([sampleLine(1)])
    expect(textOf(log)).toBe(logText(sampleLines(1)))
  })
})

describe('a log changed by another process', () => {
  it.each<[string, string, (path: string) => void]>([
    ['renamed', 'MOVED', (path) => renameSync(path, `${path}.bak`)],
    ['deleted', 'DELETED', (path) => rmSync(path)],
    ['replaced', 'REPLACED', (path) => renameSync(copyOf(path), path)],
    ['emptied', 'CHANGED', (path) => truncateSync(path)],
    ['written to by another', 'CHANGED', (path) => appendFileSync(path, `${sampleLine(3)}\n`)],
  ])('%s takes no line and shows none, at the very next write', async (_, code, change) => {
    using folder = temporaryFolder()
    const log = createIn(folder.path)
    log.append(sampleLines(2))
    change(log.path)
    const left = existsSync(log.path) ? textOf(log) : null
    const loss = expect.objectContaining({ code, retryable: code === 'MOVED' })
    expect(() => log.view()).toThrow(loss)
    expect(() => log.append([sampleLine(3)])).toThrow(loss)
    expect(existsSync(log.path) ? textOf(log) : null).toBe(left)
    await expect(log.synced()).rejects.toMatchObject({ code, retryable: false })
    await log[Symbol.asyncDispose]().catch((error: unknown) => expect(error).toMatchObject({ code: 'MOVED' }))
  })

  it('takes lines again once it is put back', async () => {
    using folder = temporaryFolder()
    await using log = createIn(folder.path)
    await log.synced()
    renameSync(log.path, `${log.path}.bak`)
    expect(() => log.append([sampleLine(1)])).toThrow('MOVED')
    renameSync(`${log.path}.bak`, log.path)
    log.append([sampleLine(1)])
    expect(textOf(log)).toBe(logText(sampleLines(1)))
  })

  it.each<[string, string, (path: string) => void]>([
    ['deleted', 'DELETED', (path) => rmSync(path)],
    ['written to', 'CHANGED', (path) => appendFileSync(path, `${sampleLine(2)}\n`)],
  ])('%s in the middle of a write does not say that it took it', async (_, code, change) => {
    using folder = temporaryFolder()
    let path = ''
    const files: Files = {
      ...nodeFiles,
      write(file, bytes) {
        const count = nodeFiles.write(file, bytes)
        if (path !== '') change(path)
        return count
      },
    }
    await using log = createIn(folder.path, files)
    path = log.path
    expect(() => log.append([sampleLine(1)])).toThrow(expect.objectContaining({ code, retryable: false }))
    if (existsSync(path)) expect(textOf(log)).toBe(logText(sampleLines(2)))
  })

  it('after a write that failed is not cut back', async () => {
    using folder = temporaryFolder()
    let plan: (string | null)[] = []
    const { files } = faultyFiles((operation) =>
      operation === 'write' || operation === 'truncate' ? (plan.shift() ?? null) : null,
    )
    await using log = createIn(folder.path, files)
    plan = ['ENOSPC', 'EIO']
    expect(() => log.append([sampleLine(1)])).toThrow('ENOSPC')
    appendFileSync(log.path, `${sampleLine(1)}\n${sampleLine(2)}\n`)
    expect(() => log.append([sampleLine(1)])).toThrow('CHANGED')
    await log[Symbol.asyncDispose]()
    expect(textOf(log)).toBe(logText(sampleLines(2)))
  })

  it('is not reported as synced when it changes during the sync', async () => {
    using folder = temporaryFolder()
    const files: Files = {
      ...nodeFiles,
      async sync(file) {
        await nodeFiles.sync(file)
        rmSync(file.path)
      },
    }
    await using log = createIn(folder.path, files)
    await expect(log.synced()).rejects.toMatchObject({ code: 'DELETED' })
  })
})

describe('syncing', () => {
  /** A disk whose syncs wait to be let go. */
  function slowDisk() {
    const waiting: ((code: string | null) => void)[] = []
    const folders: string[] = []
    const files: Files = {
      ...nodeFiles,
      sync: (file) =>
        new Promise((resolve, reject) => {
          waiting.push((code) => (code === null ? resolve(nodeFiles.sync(file)) : reject(new Error(code))))
        }),
      syncFolder: async (path) => void folders.push(path),
    }
    return { files, waiting, folders }
  }

  it('that does not end is said also where the timer that asks ends early', async () => {
    using folder = temporaryFolder()
    const { files, waiting } = slowDisk()
    const log = createIn(folder.path, files)
    const now = vi.spyOn(performance, 'now').mockReturnValue(0)
    const synced = log.synced()
    now.mockReturnValue(slowSyncMs - 500)
    const late = log.stuck?.code
    now.mockRestore()
    expect(late).toBe('ETIMEDOUT')
    waiting[0]?.(null)
    await synced
    expect(log.stuck).toBeNull()
  })

  it('serves all callers during a sync with the next one', async () => {
    using folder = temporaryFolder()
    const { files, waiting } = slowDisk()
    const log = createIn(folder.path, files)
    const first = log.synced()
    log.append([sampleLine(1)])
    const second = log.synced()
    log.append([sampleLine(2)])
    const third = log.synced()
    expect(waiting).toHaveLength(1)
    waiting[0]?.(null)
    await first
    await expect.poll(() => waiting.length).toBe(2)
    waiting[1]?.(null)
    await Promise.all([second, third])
    await log.synced()
    await log[Symbol.asyncDispose]()
    expect(waiting).toHaveLength(2)
  })

  it('shares the running one when nothing was written since it began', async () => {
    using folder = temporaryFolder()
    const { files, waiting } = slowDisk()
    const log = createIn(folder.path, files)
    const both = [log.synced(), log.synced()]
    waiting[0]?.(null)
    await Promise.all(both)
    await log[Symbol.asyncDispose]()
    expect(waiting).toHaveLength(1)
  })

  it('never runs two at a time, also when a caller comes back at once', async () => {
    using folder = temporaryFolder()
    const { files, waiting } = slowDisk()
    const log = createIn(folder.path, files)
    let seq = 0
    const again = () => {
      log.append([sampleLine(++seq)])
      return log.synced()
    }
    const first = log.synced().then(again)
    const second = again()
    waiting[0]?.(null)
    await expect.poll(() => waiting.length).toBe(2)
    expect(seq).toBe(2)
    waiting[1]?.(null)
    await Promise.all([first, second])
    await log[Symbol.asyncDispose]()
    expect(waiting).toHaveLength(2)
  })

  it('includes the folders up to the home once', async () => {
    using folder = temporaryFolder()
    const { files, waiting, folders } = slowDisk()
    const log = createIn(folder.path, files)
    const first = log.synced()
    waiting[0]?.(null)
    await first
    log.append([sampleLine(1)])
    const second = log.synced()
    waiting[1]?.(null)
    await second
    await log[Symbol.asyncDispose]()
    const sessions = join(folder.path, 'sessions')
    expect(folders).toEqual([join(sessions, '2025'), sessions, folder.path])
  })

  it('that fails once ends the log: it is never tried again', async () => {
    using folder = temporaryFolder()
    let syncs = 0
    const { files } = faultyFiles((operation) => (operation === 'sync' && ++syncs === 1 ? 'EIO' : null))
    const log = createIn(folder.path, files)
    const running = log.synced()
    log.append([sampleLine(1)])
    const both = [running, log.synced()]
    const poisoned = { code: 'EIO', retryable: false }
    for (const result of await Promise.allSettled(both)) {
      expect(result).toMatchObject({ status: 'rejected', reason: poisoned })
    }
    await expect(log.synced()).rejects.toMatchObject(poisoned)
    expect(() => log.append([sampleLine(2)])).toThrow(expect.objectContaining(poisoned))
    await expect(log[Symbol.asyncDispose]()).rejects.toMatchObject(poisoned)
    expect(syncs).toBe(1)
  })
})
