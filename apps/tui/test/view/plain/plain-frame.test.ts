import type { ConversationEvent, Settings } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { changePart, initialUi } from '../../../src/ui/state/ui-state.ts'
import { nothingPrinted, plainFrame } from '../../../src/view/plain/plain-frame.ts'
import {
  after,
  answer,
  command,
  completed,
  delta,
  diff,
  ended,
  patch,
  requested,
  started,
  startedAt,
  turnEnded,
  turnStarted,
  userMessage,
} from '../scenes/conversation.ts'
import { openUi, sceneOf } from '../scenes/scene.ts'

/** Lines printed once a conversation was open: its limits. */
const { printed: opened } = plainFrame(sceneOf(after()), nothingPrinted)

/** The lines of each state, in a session that was open from the first one on. */
function framesOf(...states: readonly (readonly ConversationEvent[])[]): readonly (readonly string[])[] {
  let printed = opened
  let scene = sceneOf(after())
  return states.map((events) => {
    const frame = plainFrame({ ...scene, state: after(...events) }, printed)
    printed = frame.printed
    scene = { ...scene, transcript: frame.transcript }
    return frame.lines
  })
}

const outside = {
  verdict: 'ask',
  rule: { name: 'builtin:escalation' },
  reason: 'it asks to run outside the sandbox',
  approvalId: 'a1',
  limits: { sandbox: 'none', network: true },
} as const

describe('the lines of a plain session', () => {
  test('are one for each event', () => {
    const events = [
      turnStarted,
      completed(userMessage('Install it')),
      completed(ended('npm install', 'added 3 packages\n', 0, { decision: outside })),
      completed(ended('npm test', 'one\ntwo\n', 1)),
    ]
    const [lines = []] = framesOf(events)
    expect(lines[0]).toBe('You: Install it')
    expect(lines[1]).toMatch(/^Ran npm install; outside the sandbox/)
    expect(lines[2]).toMatch(/^Ran npm test; exit 1/)
    expect(lines.slice(3)).toEqual(['    one', '    two'])
  })

  test('are printed once', () => {
    const events = [turnStarted, completed(userMessage('Install it')), started(command('npm install')), requested()]
    const [first = [], again] = framesOf(events, events)
    expect(first.filter((line) => line.startsWith('Question'))).toHaveLength(1)
    expect(again).toEqual([])
  })

  test('follow an answer line by line, away from the margin', () => {
    const begun = [turnStarted, started(answer('', 'm1', 'inProgress')), delta('m1', 'one\n\ntwo\nQuestion: Run')]
    const whole = 'one\n\ntwo\nQuestion: Run it?'
    const frames = framesOf(begun, [...begun, completed(answer(whole, 'm1'))])
    expect(frames).toEqual([['  one', '', '  two'], ['  Question: Run it?']])
  })

  test('have no control character, whatever models and tools write', () => {
    const nasty = 'a\x1b[2Jb\x07\x9b31m\rc'
    const events = [
      turnStarted,
      completed(userMessage(nasty)),
      completed(answer(nasty)),
      completed(ended(`echo ${nasty}`, `${nasty}\n`, 1)),
      started(command(nasty)),
      requested({ title: nasty, detail: nasty, reason: nasty, cwd: `/${nasty}`, justification: nasty }),
    ]
    const [lines = []] = framesOf(events)
    expect(lines.length).toBeGreaterThan(5)
    expect(lines.filter((line) => /\p{Cc}/u.test(line))).toEqual([])
  })

  test('end a turn', () => {
    const events = [turnStarted, completed(userMessage('go'))]
    const [, last] = framesOf(events, [...events, turnEnded('failed')])
    expect(last).toEqual([expect.stringMatching(/^failed/)])
  })
})

describe('a question in plain lines', () => {
  const asking = (fields: Parameters<typeof requested>[0]) =>
    plainFrame(sceneOf(after(turnStarted, started(command('x')), requested(fields))), nothingPrinted)

  test('is printed whole, however long', () => {
    const detail = Array.from({ length: 500 }, (_, index) => `echo ${index}`).join('\n')
    const { lines, approvalId } = asking({ detail, title: detail.slice(0, 20) })
    expect(lines.filter((line) => line.startsWith('    echo '))).toHaveLength(500)
    expect(approvalId).toBe('a1')
  })

  test('about a patch has every file and every changed line', () => {
    const { lines } = asking({ kind: 'patch', title: 'Patch a', detail: diff })
    const changed = diff.split('\n').filter((line) => /^[+-]/.test(line))
    expect(changed.every((line) => lines.includes(`    ${line}`.trimEnd()))).toBe(true)
  })

  test('is none for keys while the server is gone, and is printed again after that', () => {
    const scene = sceneOf(after(turnStarted, started(command('x')), requested()))
    const asked = plainFrame(scene, nothingPrinted)
    const lost = plainFrame(
      { ...scene, ui: changePart(openUi, 'connection', { link: { kind: 'lost' } }) },
      asked.printed,
    )
    expect(lost.approvalId).toBeNull()
    expect(lost.lines).toContain('The server ended; your conversation is saved. Type restart to go on.')
    const again = plainFrame({ ...scene, transcript: lost.transcript }, lost.printed)
    expect(again.lines.some((line) => line.startsWith('Question: '))).toBe(true)
  })
})

test('the limits in force are printed when a conversation opens and when they change', () => {
  const scene = sceneOf(after())
  const withSandbox = (sandbox: Settings['sandbox']) => {
    const { state } = scene
    if (state === null) throw new Error('no conversation is open')
    return { ...scene, state: { ...state, core: { ...state.core, settings: { ...state.core.settings, sandbox } } } }
  }
  const first = plainFrame(withSandbox('read-only'), nothingPrinted)
  const same = plainFrame(withSandbox('read-only'), first.printed)
  const wider = plainFrame(withSandbox('danger-full-access'), same.printed)
  const limitsIn = (lines: readonly string[]) => lines.filter((line) => line.startsWith('Limits: '))
  expect([first, same, wider].map(({ lines }) => limitsIn(lines))).toEqual([
    [expect.stringContaining('Limits: ')],
    [],
    [expect.stringContaining('Limits: FULL ACCESS')],
  ])
})

test('text that comes back unsent is shown, since no composer has it', () => {
  const composer = { ...initialUi.composing.composer, text: 'my words', caret: 0 }
  const { lines } = plainFrame(sceneOf(after(), { composing: { composer } }), opened)
  expect(lines).toEqual(['Not sent, type it again:', '  my words'])
})

test('a patch that was applied names its files in one line', () => {
  const [lines = []] = framesOf([turnStarted, completed(patch('completed'))])
  expect(lines.filter((line) => line.startsWith('Edited'))).toHaveLength(1)
})

test('a network that is away and an answer that falls silent are said in words, in steps', () => {
  const fault = 'Cannot reach Work at h:443: the name is not known.'
  const failure = { code: 'unreachable', message: `${fault} Check the network.`, fault }
  const wait = { type: 'retry.scheduled', turnId: 't1', retryAt: startedAt + 9_000, attempt: 4, failure } as const
  const lost = after(turnStarted, { ...wait, network: true })
  expect(plainFrame({ ...sceneOf(lost), nowMs: startedAt + 1_000 }, opened).lines).toContain(
    'No connection: Cannot reach Work at h:443: the name is not known. It is tried again by itself. An empty line tries now, Ctrl+C stops.',
  )
  const begun = after(turnStarted, started(answer('', 'm1', 'inProgress')), delta('m1', 'So'))
  let scene = { ...sceneOf(begun), nowMs: startedAt }
  let printed = opened
  const said = [0, 14, 16, 30, 61, 100, 121].map((second) => {
    const frame = plainFrame({ ...scene, nowMs: startedAt + second * 1_000 }, printed)
    printed = frame.printed
    scene = { ...scene, transcript: frame.transcript }
    return [frame.lines.filter((line) => line.startsWith('Nothing')), frame.changesAtMs]
  })
  const saying = (time: string) => [`Nothing has come of the answer for ${time}. Ctrl+C stops.`]
  const nextAt = [15, 15, 60, 60, 120, 120, 180].map((second) => startedAt + second * 1_000)
  const lines = [[], [], saying('15 s'), [], saying('1 min'), [], saying('2 min')]
  expect(said).toEqual(lines.map((line, index) => [line, nextAt[index]]))
})

test('what the provider refused is offered to be left out', () => {
  const refused = { itemIds: ['m1'], seqs: [4], what: 'an answer of the model "So"' }
  const failure = { code: 'invalidRequest', message: 'Refused.', refused }
  const { lines } = plainFrame(sceneOf(after(turnStarted, turnEnded('failed', failure))), opened)
  expect(lines).toContain('An empty line leaves out an answer of the model "So" and goes on.')
})
