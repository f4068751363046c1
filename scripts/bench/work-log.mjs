import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeLine } from '../../packages/journal/src/line/line.ts'
import { encodeHeader, newHeader } from '../../packages/journal/src/log/header.ts'
import { createdIn, placeKeptLog, startedAt, usage, words } from './kept-log.mjs'

const deltasInTurn = 20
const callsInTurn = 2
const turnsBetweenCompactions = 100
const batchBytes = 4 * 1024 * 1024

/**
 * Writes a conversation of `turns` turns into a home, as a server would: messages, answers, calls with outputs of
 * `outputBytes`, and a compaction now and then. Keeps the file for the next bench. Returns its id.
 */
export function placeWorkLog(place, { turns, outputBytes }) {
  const conversationId = `01a00000-0000-7000-8000-0001${String(turns).padStart(8, '0')}`
  const name = `parley-bench-work-3-${turns}-${outputBytes}.jsonl`
  const write = (path) => writeLog(path, conversationId, { turns, outputBytes })
  return placeKeptLog(place, { conversationId, name, write })
}

function writeLog(path, conversationId, size) {
  const file = openSync(path, 'w', 0o600)
  let batch = [encodeHeader(newHeader(conversationId))]
  let bytes = 0
  let seq = 0
  const flush = () => {
    if (batch.length > 0) writeSync(file, `${batch.join('\n')}\n`)
    batch = []
    bytes = 0
  }
  for (const event of workEvents(size)) {
    seq += 1
    const at = startedAt + seq * 1000
    const { text } = encodeLine({ seq, at, event: typeof event === 'function' ? event(seq) : event })
    batch.push(text)
    bytes += text.length
    if (bytes > batchBytes) flush()
  }
  flush()
  closeSync(file)
}

/**
 * Returns a folder that outlives this bench, as its file does, and has few files, because the files of a conversation
 * are watched.
 */
function workFolder() {
  const folder = join(tmpdir(), 'parley-bench-folder')
  mkdirSync(folder, { recursive: true })
  return folder
}

function* workEvents({ turns, outputBytes }) {
  yield createdIn(workFolder())
  for (let turn = 1; turn <= turns; turn++) {
    yield* turnEvents(turn, outputBytes)
    if (turn % turnsBetweenCompactions === 0) yield* compaction(turn)
  }
}

function* turnEvents(turn, outputBytes) {
  const turnId = `t-${turn}`
  const text = `Message ${turn}`
  yield { type: 'turn.started', turnId, trigger: 'message' }
  const said = { type: 'userMessage', status: 'completed', title: text, text, content: [{ type: 'text', text }] }
  yield { type: 'item.completed', turnId, item: { id: `u-${turn}`, ...said } }
  for (let call = 1; call <= callsInTurn; call++) yield* callEvents(turnId, `c-${turn}-${call}`, outputBytes)
  yield* answerEvents(turnId, turn)
  yield { type: 'turn.ended', turnId, outcome: 'completed', usage, denials: [] }
}

function* callEvents(turnId, itemId, outputBytes) {
  const command = `cat file-of-${itemId}.txt`
  const input = JSON.stringify({ command })
  yield { type: 'model.requested', turnId, attempt: 1 }
  const call = { itemId, callId: `call-${itemId}`, name: 'run_command', arguments: input }
  yield { type: 'model.responded', turnId, adapter: 'responses/1', parts: [], text: '', calls: [call] }
  yield { type: 'usage.updated', turnId, counts: usage }
  const item = { id: itemId, type: 'commandExecution', title: command, text: command, tool: 'run_command' }
  const open = { ...item, input, command, cwd: '/work', status: 'inProgress' }
  yield { type: 'item.started', turnId, item: { ...open, status: 'proposed' } }
  yield { type: 'execution.started', itemId, attempt: 1, decidedBy: { by: 'policy' }, payloadHash: 'none' }
  const output = `${itemId}: ${words.repeat(Math.ceil(outputBytes / words.length))}`
  const shown = { head: output.slice(0, 4096), tail: output.slice(-4096), totalBytes: output.length, omittedBytes: 0 }
  const done = { ...open, status: 'completed', exitCode: 0, durationMs: 12, output: shown, modelText: output }
  yield { type: 'item.completed', turnId, item: done }
}

function* answerEvents(turnId, turn) {
  const text = words.repeat(deltasInTurn)
  const open = { id: `a-${turn}`, type: 'agentMessage', status: 'inProgress', title: 'Answer', text: '' }
  yield { type: 'model.requested', turnId, attempt: 1 }
  yield { type: 'item.started', turnId, item: open }
  for (let delta = 0; delta < deltasInTurn; delta++) yield { type: 'item.delta', itemId: open.id, text: words }
  yield { type: 'item.completed', turnId, item: { ...open, status: 'completed', text } }
  yield { type: 'model.responded', turnId, adapter: 'responses/1', parts: [], text, calls: [] }
  yield { type: 'usage.updated', turnId, counts: usage }
}

function* compaction(turn) {
  const itemId = `k-${turn}`
  const item = { id: itemId, type: 'contextCompaction', title: 'Compacted', text: '', trigger: 'manual' }
  yield { type: 'item.started', item: { ...item, status: 'inProgress' } }
  yield (seq) => ({
    ...{ type: 'context.compacted', itemId, to: seq - 1, summary: `Turns up to ${turn}.`, carried: 'sha256:none' },
    ...{ tokensBefore: 100_000, tokensAfter: 1000 },
  })
  yield { type: 'item.completed', item: { ...item, status: 'completed', text: `Turns up to ${turn}.` } }
}
