import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { nowMs } from './clock.mjs'
import { textDelta, textEnd, textStart, wholeCall } from './model-wire.mjs'

/**
 * Model server of the bench, in a process of its own, so that its work is not measured. Plays the scenario of the last
 * message: `{ play: 'hello' }`, `{ play: 'calls', count }`, `{ play: 'flood', count }` or
 * `{ play: 'paced', count, intervalMs }`. Answers every message with its notes since the one before.
 */
let scenario = { play: 'hello' }
let answered = 0
let nextId = 0
let notes = []
let newestBody = Buffer.alloc(0)
const floods = new Map()
const pieceBytes = 64 * 1024

const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  const note = { arrivedMs: nowMs() }
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    newestBody = Buffer.concat(chunks)
    notes.push(note)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    void answer(response, note)
  })
})

async function answer(response, note) {
  const id = String(++nextId)
  const nth = answered++
  if (scenario.play === 'calls' && nth < scenario.count) {
    finish(response, note, wholeCall(id, 'shell', { command: `echo hi ${nth}` }))
  } else if (scenario.play === 'flood') await flood(response, note, id)
  else if (scenario.play === 'paced') await pace(response, note, id)
  else {
    note.firstDeltaMs = nowMs()
    const text = 'Hello from the model of the bench.'
    finish(response, note, textStart(id) + textDelta(id, text) + textEnd(id, text))
  }
}

function finish(response, note, text) {
  note.lastByteMs = nowMs()
  response.end(text)
}

async function flood(response, note, id) {
  const { bytes, text } = floodOf(scenario.count)
  response.write(textStart(id))
  note.firstDeltaMs = nowMs()
  for (let at = 0; at < bytes.length && !response.destroyed; at += pieceBytes) {
    if (!response.write(bytes.subarray(at, at + pieceBytes))) await drained(response)
  }
  finish(response, note, textEnd(id, text))
}

async function pace(response, note, id) {
  const { count, intervalMs } = scenario
  response.write(textStart(id))
  note.firstDeltaMs = nowMs()
  for (let index = 0; index < count && !response.destroyed; index++) {
    response.write(textDelta(id, words(index)))
    const waitMs = note.firstDeltaMs + (index + 1) * intervalMs - nowMs()
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
  finish(response, note, textEnd(id, wordsUpTo(count)))
}

function drained(response) {
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go)
      resolve()
    }
    response.on('drain', go).on('close', go)
  })
}

/** Returns the flood, made before it is measured. Its id is not the response's, which no client checks. */
function floodOf(count) {
  const known = floods.get(count)
  if (known !== undefined) return known
  const deltas = Array.from({ length: count }, (_, index) => textDelta('flood', words(index)))
  const made = { bytes: Buffer.from(deltas.join('')), text: wordsUpTo(count) }
  floods.set(count, made)
  return made
}

/** Returns twenty characters with their number; lines have a hundred, paragraphs eight hundred. */
function words(index) {
  const end = index % 40 === 39 ? '.\n\n' : index % 5 === 4 ? '\n' : ' '
  return `w${index} `.padEnd(20 - end.length, 'lorem ipsum dolor sit amet') + end
}

function wordsUpTo(count) {
  return Array.from({ length: count }, (_, index) => words(index)).join('')
}

process.on('message', (next) => {
  if (next.play !== undefined) {
    scenario = next
    answered = 0
    if (next.play === 'flood') floodOf(next.count)
  }
  process.send({ notes, newestBodyHash: createHash('sha256').update(newestBody).digest('hex') })
  notes = []
})
process.on('disconnect', () => process.exit(0))
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
