import { renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { appendUnlocked, filterOutput } from '@parley/host'
import { makeFolders, nodeFiles } from '@parley/journal'
import type { Redaction } from '@parley/redaction'
import { characterStart } from '@parley/text'

const maxFileBytes = 1 << 20
/** Size of the end of stderr kept in memory, which is shown with a failure. */
const tailBytes = 4 * 1024
/** Size read before each pause, so that a flooding server slows down only itself. */
const burstBytes = 256 * 1024
const pauseMs = 100

/** Log of a server's stderr and remarks: a capped file with one older version. Secrets are masked. */
export interface ServerLogFile {
  readonly path: string
  follow(stderr: Readable): void
  remark(text: string): void
  /** Returns the end of stderr since `clear`. */
  tail(): string
  clear(): void
}

export function openServerLogFile(home: string, name: string, redaction: Redaction): ServerLogFile {
  const folder = join(home, 'logs')
  const path = join(folder, `mcp-${name.replaceAll(/[^\w.-]/g, '_')}.log`)
  let tail: Buffer = Buffer.alloc(0)

  function append(bytes: Buffer | string): void {
    try {
      makeFolders(nodeFiles, folder)
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxFileBytes) renameSync(path, `${path}.1`)
      appendUnlocked(path, bytes)
    } catch {
      // A failure of the log must not fail the call.
    }
  }

  return {
    path,
    follow(stderr) {
      let taken = 0
      const filtered = filterOutput(redaction.filter(), (chunk) => {
        append(chunk)
        tail = Buffer.concat([tail, chunk.subarray(-tailBytes)]).subarray(-tailBytes)
      })
      stderr.once('end', filtered.end)
      stderr.on('data', (chunk: Buffer) => {
        filtered.take(chunk)
        taken += chunk.length
        if (taken < burstBytes) return
        taken = 0
        stderr.pause()
        setTimeout(() => stderr.resume(), pauseMs).unref()
      })
    },
    remark: (text) => append(`[${redaction.text(text).slice(0, 1000)}]\n`),
    tail: () => tail.subarray(characterStart(tail)).toString().trim(),
    clear: () => {
      tail = Buffer.alloc(0)
    },
  }
}
