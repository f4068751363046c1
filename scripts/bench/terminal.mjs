import { createRequire } from 'node:module'
import { nowMs } from './clock.mjs'
import { treeOf } from './process-tree.mjs'

const { spawn } = createRequire(new URL('../../packages/testkit/package.json', import.meta.url))('@lydell/node-pty')

const size = { cols: 120, rows: 40 }
const timeLimitMs = 30_000
/** Matches terminal sequences, which are not text. */
const escapes = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[PX^_].*?\x1b\\|\x1b[ -/]*[0-~]/gs
const keptLength = 4096

/** Queries of the cursor's position, and queries of the size, which are sent from the last cell. */
const questions = /(\x1b\[9999;9999H)?\x1b\[6n/g

/**
 * Starts a program in a place, on a terminal that notes when text arrives, and answers where its cursor is and how large
 * it is.
 */
export function startTerminal([program, ...args], { env, workspace: cwd }) {
  const spawnedMs = nowMs()
  const pty = spawn(program, args, { ...size, env, cwd, name: 'xterm-256color' })
  let tail = ''
  let byteCount = 0
  let watching = null
  let lastOutputMs = spawnedMs
  let columns = size.cols
  const exited = new Promise((resolve) => pty.onExit(resolve))
  pty.onData((text) => {
    lastOutputMs = nowMs()
    byteCount += Buffer.byteLength(text)
    tail = (tail + text).slice(-keptLength)
    for (const [, fromLastCell] of text.matchAll(questions)) pty.write(fromLastCell ? report(columns) : report(1))
    if (watching !== null && tail.replace(escapes, '').includes(watching.text)) watching.found(lastOutputMs)
  })
  return {
    pid: pty.pid,
    spawnedMs,
    byteCount: () => byteCount,
    lastOutputMs: () => lastOutputMs,
    /** Resolves to the time at which the text appears after the one awaited before. Ignores escape sequences. */
    sees(text) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`waited for ${JSON.stringify(text)}, saw:\n${tail}`)),
          timeLimitMs,
        )
        const found = (atMs) => {
          clearTimeout(timer)
          watching = null
          tail = ''
          resolve(atMs)
        }
        watching = { text, found }
      })
    },
    type: (text) => pty.write(text),
    resize(toColumns) {
      columns = toColumns
      pty.resize(columns, size.rows)
    },
    async [Symbol.asyncDispose]() {
      const pids = treeOf(pty.pid)
      for (const pid of pids) killNow(pid)
      await exited
    },
  }
}

function report(column) {
  return `\x1b[${size.rows};${column}R`
}

function killNow(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
