/**
 * Thread that reads the stack of a blocked main thread. `beats` is counted up there; while it stands still for longer than
 * `checkMs`, the main thread is paused for a moment by the inspector, which opens no port. One stack for each block is
 * sent as a message; where nobody takes it, since the block goes on, it is written to stderr.
 */
import { writeSync } from 'node:fs'
import { Session } from 'node:inspector'
import { parentPort, workerData } from 'node:worker_threads'

const { beats, checkMs } = workerData
const maxFrames = 12
const stderr = 2

let seen = Atomics.load(beats, 0)
/** Stack of the block that goes on; null when there is none, or it was written. */
let unwritten = null
let isRead = false

setInterval(() => {
  const now = Atomics.load(beats, 0)
  if (now !== seen) {
    seen = now
    isRead = false
    unwritten = null
  } else if (!isRead) {
    isRead = true
    readStack(now)
  } else if (unwritten !== null) {
    writeSync(stderr, `The event loop is blocked here: ${unwritten}\n`)
    unwritten = null
  }
}, checkMs)

function readStack(beat) {
  const session = new Session()
  const paths = new Map()
  session.connectToMainThread()
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => paths.set(scriptId, url))
  session.once('Debugger.paused', ({ params: { callFrames } }) => {
    session.post('Debugger.resume', () => session.disconnect())
    // The block may have ended meanwhile: this is something else then.
    if (Atomics.load(beats, 0) !== beat) return
    unwritten = callFrames
      .slice(0, maxFrames)
      .map((frame) => textOf(frame, paths))
      .join(' < ')
    parentPort.postMessage(unwritten)
  })
  session.post('Debugger.enable')
  session.post('Debugger.pause')
}

function textOf({ functionName, location: { scriptId, lineNumber, columnNumber } }, paths) {
  const path = paths.get(scriptId) ?? ''
  const file = path.slice(path.lastIndexOf('/') + 1)
  return `${functionName === '' ? '(anonymous)' : functionName} ${file}:${lineNumber + 1}:${columnNumber + 1}`
}
