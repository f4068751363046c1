import { followTurn } from '@parley/presentation/items/turn-clock'
import { lineText } from '@parley/presentation/text/span'
import { expect, test } from 'vitest'
import type { WindowLink } from '../../../src/ui/link/link.ts'
import { changePart, type UiState } from '../../../src/ui/state/ui-state.ts'
import { activityOf } from '../../../src/view/live/activity.ts'
import { after, command, requested, started, startedAt, turnEnded, turnStarted } from '../scenes/conversation.ts'
import { openUi } from '../scenes/scene.ts'

const parked = { type: 'turn.parked', turnId: 't1', reason: 'It waits.' } as const
const at = (ms: number) => ({ nowMs: startedAt + ms, clock: null, room: { columns: 80 } })
const answered = changePart(openUi, 'answering', { answeredApproval: 'a1', answeredAtMs: startedAt + 11_000 })

test.each([
  ['waits', []],
  ['is parked', [parked]],
])('an answer without acknowledgement for a second is shown as being sent, also where its turn %s', (_, events) => {
  const state = after(turnStarted, started(command('npm install left-pad')), requested(), ...events)
  const early = activityOf(state, answered, at(11_100))
  expect(early === null ? '' : lineText(early.line)).toContain('Thinking')
  expect(early?.changesAtMs).toBe(startedAt + 11_350)
  expect(lineText(activityOf(state, answered, at(12_000))?.line ?? [])).toBe('Sending the answer…')
})

test('a turn that waits at a limit says which keys go on and end it', () => {
  const state = after(turnStarted, { ...parked, limit: 'tokens' })
  const said = lineText(activityOf(state, openUi, at(1_000))?.line ?? [])
  expect(said).toBe('Limit reached. Enter on an empty line allows as much again, Esc ends it')
})

test('a turn that waits for a key says whose, and that it goes on by itself', () => {
  const state = after(turnStarted, { ...parked, missingKey: 'ac\u202eme' })
  const said = lineText(activityOf(state, openUi, at(1_000))?.line ?? [])
  expect(said).toContain('Waits for a key for ac<U+202E>me, and goes on by itself')
})

test('a turn that waits for a hook says which one, and for how long', () => {
  const hook = { name: 'no\u202erm.sh', on: 'PreToolUse', source: 'user' } as const
  const state = after(turnStarted, { type: 'hook.running', hook, turnId: 't1', durationMs: 1_000 })
  const since = state.core.turn?.hook?.startedAt ?? 0
  const said = activityOf(state, openUi, { ...at(0), nowMs: since + 12_300 })?.line ?? []
  expect(lineText(said)).toContain('Running hook for 12 s: no<U+202E>rm.sh')
  const ran = { type: 'hook.ran', hook, turnId: 't1', outcome: 'passed', durationMs: 12_400 } as const
  const next = after(turnStarted, { type: 'hook.running', hook, turnId: 't1', durationMs: 1_000 }, ran)
  expect(lineText(activityOf(next, openUi, at(20_000))?.line ?? [])).toContain('Thinking')
})

test('a window that only watches offers to join again when the server is lost', () => {
  const opened = {
    conversationId: 'c',
    shortId: 's',
    readOnly: true,
    onlyWatches: true,
    attached: true,
    ephemeral: false,
  }
  const { line = [] } =
    activityOf(
      after(turnStarted),
      { ...openUi, opened, connection: { ...openUi.connection, link: { kind: 'lost' } } },
      at(0),
    ) ?? {}
  expect(lineText(line)).toContain('Press r to join it again')
})

test('a window whose conversation another server took says which key goes on with it', () => {
  const { line = [] } =
    activityOf(
      after(turnStarted),
      changePart(openUi, 'connection', { link: { kind: 'lost', reason: 'taken' } }),
      at(0),
    ) ?? {}
  expect(lineText(line)).toBe('Another server went on with this conversation. Press r to go on with it')
})

test('a window whose token no server accepts says so in place of a lost connection, and while one is left to try', () => {
  const lineOf = (link: WindowLink) =>
    lineText(activityOf(after(turnStarted), changePart(openUi, 'connection', { link }), at(0))?.line ?? [])
  expect(lineOf({ kind: 'lost', reason: 'rejected' })).toBe(
    'Your token is not accepted any more; what was shown is saved there. Ctrl+D leaves, r tries again',
  )
  const sought = { address: 'wss://a:7100', trying: 'wss://b:7100', isRejected: true } as const
  expect(lineOf({ kind: 'starting', sought })).toMatch(/^a:7100 does not accept your token any more, trying b:7100…/)
  const why = 'its certificate has expired'
  expect(lineOf({ kind: 'starting', sought: { ...sought, why } })).toContain(`trying b:7100… ${why} · `)
})

test.each([
  [{ code: 'overloaded', status: 529, message: 'Work Models is overloaded.' }, 'Work Models is overloaded (529)'],
  [
    { code: 'rateLimited', status: 429, message: 'Work Models limits. It said: Slow.', fault: 'Work Models limits.' },
    'Work Models limits (429)',
  ],
  [{ code: 'providerError', message: 'Work Models is not answering.' }, 'Work Models is not answering'],
  [{ code: 'streamCut', message: 'It failed.' }, 'connection lost'],
])('a retry after %o names the provider as it is called, and which try comes', (failure, words) => {
  const retryAt = startedAt + 8_000
  const state = after(turnStarted, { type: 'retry.scheduled', turnId: 't1', retryAt, attempt: 3, failure })
  expect(lineText(activityOf(state, openUi, at(1_000))?.line ?? [])).toContain(`${words}, try 3 in 7 s`)
})

test('a retry at the time that the provider named says so, and another model that took over is the one that fails', () => {
  const failure = { code: 'overloaded', message: 'Other is overloaded.' }
  const state = after(
    turnStarted,
    { type: 'model.fellBack', turnId: 't1', modelProvider: 'other', model: 'm2', failure },
    { type: 'retry.scheduled', turnId: 't1', retryAt: startedAt + 8_000, attempt: 2, failure, asked: true },
  )
  expect(lineText(activityOf(state, openUi, at(1_000))?.line ?? [])).toBe(
    'Other is overloaded, try 2 in 7 s, as it asks · esc stops · enter tries now',
  )
})

test('a retry says of how many where that is known', () => {
  const failure = { code: 'overloaded', message: 'OpenAI is overloaded.', status: 529 }
  const retryAt = startedAt + 8_000
  const state = after(turnStarted, { type: 'retry.scheduled', turnId: 't1', retryAt, attempt: 2, attempts: 5, failure })
  const words = 'OpenAI is overloaded (529), try 2 of 5 in 7 s'
  expect(lineText(activityOf(state, openUi, at(1_000))?.line ?? [])).toContain(words)
})

test('a server of a team that does not answer is not offered to be started anew', () => {
  const opened = { ...openUi.opened, isFar: true } as UiState['opened']
  const { line = [] } =
    activityOf(after(turnStarted), { ...openUi, opened, connection: { ...openUi.connection, hangs: true } }, at(0)) ??
    {}
  expect(lineText(line)).toBe('The server does not answer. Ctrl+R connects anew · Esc waits · Ctrl+D leaves')
})

test('a network that is away says so, when it is tried again, the keys, and what could not be reached', () => {
  const fault = 'Cannot reach Work at h:443: the name is not known.'
  const failure = { code: 'unreachable', message: `${fault} Check the network.`, fault }
  const retry = { retryAt: startedAt + 9_000, attempt: 4, failure, network: true }
  const state = after(turnStarted, { type: 'retry.scheduled', turnId: 't1', ...retry, network: true })
  const wide = { ...at(1_000), room: { columns: 120 } }
  const { line = [], changesAtMs } = activityOf(state, openUi, wide) ?? {}
  const narrow = activityOf(state, openUi, { ...at(1_000), room: { columns: 60 } })?.line ?? []
  expect(lineText(narrow)).toBe('no connection · tries again in 8 s · Enter now · Esc stop')
  expect(lineText(line)).toBe(
    'no connection · tries again in 8 s · Enter now · Esc stop · Cannot reach Work at h:443: the name is not known',
  )
  expect(changesAtMs).toBe(startedAt + 2_000)
})

test('an answer that has begun and falls silent says for how long from 15 s on', () => {
  const answer = { id: 'm1', type: 'agentMessage', status: 'inProgress', title: 'Answer', text: '' } as const
  const begun = [turnStarted, started(answer), { type: 'item.delta', itemId: 'm1', text: 'So' }] as const
  const state = after(...begun)
  const sign = after(...begun, { type: 'item.delta', itemId: 'm1', text: '' })
  const clock = followTurn(null, state, startedAt + 1_000)
  const words = (ms: number, of = clock) => lineText(activityOf(state, openUi, { ...at(ms), clock: of })?.line ?? [])
  expect(words(15_900)).toMatch(/Answering {2}14 s · esc stops$/)
  expect(words(21_000)).toContain('Answering  20 s · nothing for 20 s · esc stops')
  const heard = followTurn(clock, sign, startedAt + 30_000)
  expect(words(40_000, heard)).toMatch(/Answering {2}39 s · esc stops$/)
  expect(words(90_000, heard)).toContain('nothing for 1 min 00 s')
})

test('a turn whose model has sent nothing yet thinks', () => {
  const state = after(turnStarted)
  const clock = followTurn(null, state, startedAt)
  const { line = [] } = activityOf(state, openUi, { ...at(60_000), clock }) ?? {}
  expect(lineText(line)).not.toContain('nothing')
})

const refusal = (seqs: readonly number[], what: string) => {
  const failure = { code: 'invalidRequest', message: 'Refused.', refused: { itemIds: [], seqs: [...seqs], what } }
  return after(turnStarted, turnEnded('failed', failure))
}

test.each([
  [
    [4],
    'a message of the user "so\u202e"',
    'Enter on an empty line leaves out a message of the user "so<U+202E>" and goes on',
  ],
  [[], '', 'Enter on an empty line leaves out the newest half of the conversation and goes on'],
])('a turn that failed since the provider refuses the parts %j offers to leave them out', (seqs, what, words) => {
  expect(lineText(activityOf(refusal(seqs, what), openUi, at(1_000))?.line ?? [])).toBe(words)
})
