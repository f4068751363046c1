import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { encodeLine } from '../../packages/journal/src/line/line.ts'
import { encodeHeader, newHeader } from '../../packages/journal/src/log/header.ts'
import { createdIn, placeKeptLog, startedAt, usage, words } from './kept-log.mjs'

const conversationId = '01a00000-0000-7000-8000-000000000001'
const deltasInTurn = 93

/** Writes a conversation of `count` events into a home, as a server would. Keeps the file for the next bench. */
export function placeLongLog(place, count) {
  const write = (path) => writeFileSync(path, textOf(count))
  return placeKeptLog(place, { conversationId, name: `parley-bench-log-2-${count}.jsonl`, write })
}

function textOf(count) {
  const lines = [encodeHeader(newHeader(conversationId))]
  for (const event of events()) {
    lines.push(encodeLine({ seq: lines.length, at: startedAt + lines.length, event }).text)
    if (lines.length > count && event.type === 'turn.ended') break
  }
  return `${lines.join('\n')}\n`
}

function* events() {
  // A folder that outlives this bench, since its file does.
  yield createdIn(tmpdir())
  for (let turn = 1; ; turn++) yield* turnEvents(`t-${turn}`, turn)
}

function* turnEvents(turnId, turn) {
  const shown = { id: `i-${turn}`, status: 'completed', title: 'Answer' }
  const text = words.repeat(deltasInTurn)
  yield { type: 'turn.started', turnId, trigger: 'message' }
  const said = { type: 'userMessage', title: 'go', text: 'go', content: [{ type: 'text', text: 'go' }] }
  yield { type: 'item.completed', turnId, item: { ...shown, ...said, id: `u-${turn}` } }
  yield { type: 'model.requested', turnId, attempt: 1 }
  const open = { ...shown, type: 'agentMessage', status: 'inProgress', text: '' }
  yield { type: 'item.started', turnId, item: open }
  for (let delta = 0; delta < deltasInTurn; delta++) yield { type: 'item.delta', itemId: open.id, text: words }
  yield { type: 'item.completed', turnId, item: { ...open, status: 'completed', text } }
  yield { type: 'model.responded', turnId, adapter: 'responses/1', parts: [], text, calls: [] }
  yield { type: 'turn.ended', turnId, outcome: 'completed', usage, denials: [] }
}
