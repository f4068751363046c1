import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nodeFiles } from '../../src/disk/node-files.ts'
import { EventLog } from '../../src/log/event-log.ts'
import { newHeader } from '../../src/log/header.ts'
import { logText, SAMPLE_ID, sampleLine } from '../sample-log.ts'
import { temporaryFolder } from '../temporary-folder.ts'

/** A disk of 256 KiB; null where mounting is not allowed. */
function smallDisk(): (Disposable & { readonly path: string }) | null {
  const folder = temporaryFolder()
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder.path])
  if (mounted.status !== 0) {
    folder[Symbol.dispose]()
    return null
  }
  return {
    path: folder.path,
    [Symbol.dispose]: () => {
      spawnSync('umount', [folder.path])
      folder[Symbol.dispose]()
    },
  }
}

describe('a disk that is really full', () => {
  it('leaves no half line, and the same line can be saved when there is room', async ({ skip }) => {
    using disk = smallDisk()
    if (disk === null) return skip('mounting is not allowed here')
    const path = join(disk.path, `${SAMPLE_ID}.jsonl`)
    const ballast = join(disk.path, 'ballast')
    writeFileSync(ballast, Buffer.alloc(128 * 1024))
    await using log = EventLog.create(nodeFiles, path, { header: newHeader(SAMPLE_ID), home: disk.path })
    const saved: string[] = []
    expect(() => {
      for (let seq = 1; ; seq++) {
        log.append([sampleLine(seq)])
        saved.push(sampleLine(seq))
      }
    }).toThrow(expect.objectContaining({ code: 'ENOSPC', retryable: true }))
    expect(saved.length).toBeGreaterThan(100)
    expect(statfsSync(disk.path).bfree).toBe(0)
    expect(readFileSync(path, 'utf8')).toBe(logText(saved))
    rmSync(ballast)
    const line = sampleLine(saved.length + 1)
    log.append([line])
    expect(readFileSync(path, 'utf8')).toBe(logText([...saved, line]))
  })
})
