import { renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { appendUnlocked, filterOutput } from '@parley/host'
import { makeFolders, nodeFiles } from '@parley/journal'
import type { Redaction } from '@parley/redaction'

const maxFileBytes = 1 << 20
/** Kept in memory, to be shown when something is wrong. */
const tailBytes = 4 * 1024
/** Read at most so much at a time: a server that floods waits for its own log, and nobody else does. */
const takenBytes = 256 * 1024
const restMs = 100

/** What an MCP server writes to stderr and says unasked: a capped file (the one before is kept) and its end in memory. */
export interface ServerLogFile {
  readonly path: string
  follow(stderr: Readable): void
  remark(text: string): void
  /** The end of stderr since `clear`. */
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
      // A log that cannot be written must not take a call down with it.
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
        if (taken < takenBytes) return
        taken = 0
        stderr.pause()
        setTimeout(() => stderr.resume(), restMs).unref()
      })
    },
    remark: (text) => append(`[${redaction.text(text).slice(0, 1000)}]\n`),
    tail: () => wholeCharacters(tail).trim(),
    clear: () => {
      tail = Buffer.alloc(0)
    },
  }
}

/** The first character may have lost its first bytes. */
function wholeCharacters(bytes: Buffer): string {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80)
  return bytes.subarray(Math.max(0, start)).toString()
}
