import type { ConversationState } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { describe, expect, test } from 'vitest'
import { noticeActions, type RequestIntent } from '../../src/conversation/rejected-intent.ts'
import { type IntentContext, runIntent } from '../../src/conversation/run-intent.ts'
import type { UiAction } from '../../src/ui/state/actions.ts'
import { changePart, initialUi, type UiState } from '../../src/ui/state/ui-state.ts'
import { updateUi } from '../../src/ui/update/update-ui.ts'
import { activityOf } from '../../src/view/live/activity.ts'
import { after, turnStarted } from '../view/scenes/conversation.ts'

/** Returns the reports that the screen gets when the server refuses. */
function refused(intent: RequestIntent, error: RpcError): Promise<readonly UiAction[]> {
  return performed(intent, { id: 'c', reply: () => Promise.reject(error), state: after(turnStarted) })
}

interface Asked {
  readonly id: string
  readonly state: ConversationState
  /** Answer of the server to every request. */
  readonly reply: () => Promise<unknown>
}

/** Returns the reports that the screen gets about an intent. */
async function performed(intent: RequestIntent, { id, state, reply }: Asked): Promise<readonly UiAction[]> {
  const told: UiAction[] = []
  const ask = reply as () => Promise<never> // narrowed: each intent reads the answer it is given here
  const conversation = {
    id,
    state,
    request: ask,
    decide: ask,
    interrupt: ask,
    continue: ask,
    configure: ask,
    rename: ask,
  }
  const context: IntentContext = {
    isFar: false,
    parley: { isSafe: false, request: ask },
    conversation,
    dispatch: (...actions) => told.push(...actions),
  }
  await runIntent(intent, context)
  return told
}

const no = { kind: 'decide', approvalId: 'a1', decision: 'denied', note: 'use trash' } as const
const late = { code: 'approvalNotPending', decidedBy: 'ada (pts/3)', decision: 'approved' }

test('a command that is refused comes back to be sent again', async () => {
  const busy = new RpcError(-32603, 'The disk is full.', { code: 'storageFailed' })
  expect(await refused({ kind: 'shell', command: 'make' }, busy)).toEqual([
    { kind: 'tookBack', text: '!make' },
    { kind: 'notice', notice: { kind: 'note', level: 'error', text: 'The disk is full.' } },
  ])
})

test('skills and commands are listed anew once their project is trusted', async () => {
  const trusted: RequestIntent = { kind: 'decideTrust', hash: 'h', verdict: 'trusted' }
  const told = await performed(trusted, { id: 'c', reply: () => Promise.resolve({ parts: [] }), state: after() })
  expect(told).toMatchObject([{ kind: 'partsListed', parts: [] }, { kind: 'trustShown' }, { kind: 'notice' }])
})

describe('a log that was deleted', () => {
  const text = 'The log /l was deleted while it was open.'
  const log = { errno: 'DELETED', text }
  const lost = new RpcError(-32009, text, { code: 'storageFailed', errno: 'DELETED' })
  const send = { kind: 'send', message: { messageId: 'm1', text: 'more', when: 'steer' } } as const

  test('is told as such by a refusal and by a notice', async () => {
    const told = { kind: 'logLost', log, isAnswer: true }
    expect(await refused(send, lost)).toEqual([{ kind: 'notTaken', message: send.message }, told])
    expect(await refused({ kind: 'shell', command: 'ls' }, lost)).toEqual([{ kind: 'tookBack', text: '!ls' }, told])
    const notice = { level: 'error', message: text, errno: 'DELETED' } as const
    expect(noticeActions(notice)).toEqual([{ ...told, isAnswer: false }])
  })

  test('is said once; what is asked for after that is said not to be done', () => {
    const context = { state: null, nowMs: 0, columns: 80, freshId: 'm' }
    const actions = [false, true, true].map((isAnswer) => ({ kind: 'logLost', log, isAnswer }) as const)
    const { notices } = actions.reduce((ui, action) => updateUi(ui, action, context).ui, initialUi)
    const notDone = { text: expect.stringMatching(/^Not done: this conversation has stopped/) }
    expect(notices).toMatchObject([{ text }, notDone, notDone])
  })
})

test('a full disk that nobody has asked anything of goes on by itself', () => {
  const full = { level: 'error', message: 'The disk is full.', errno: 'ENOSPC', passing: true } as const
  expect(noticeActions({ ...full, conversationId: 'c1' }, 'c1')).toMatchObject([
    { notice: { text: 'The disk is full. Make room: it goes on by itself then.' } },
    { kind: 'storage', errno: 'ENOSPC' },
  ])
  const saved = { level: 'info', code: 'storageRestored', message: 'saved' } as const
  expect(noticeActions({ ...saved, conversationId: 'c1' }, 'c1')).toEqual([{ kind: 'storage', errno: null }])
  expect(noticeActions({ ...saved, conversationId: 'c2' }, 'c1')).toEqual([])
})

test('trouble with the disk stands above the composer until it has passed, which is said once', () => {
  const context = { state: null, nowMs: 0, columns: 80, freshId: 'm' }
  const after = (errnos: readonly (string | null)[]) =>
    errnos.reduce<UiState>(
      (ui, errno) => updateUi(ui, { kind: 'storage', errno }, context).ui,
      changePart(initialUi, 'connection', { link: { kind: 'up', clientId: 'me', serverPid: 1 } }),
    )
  const moment = { nowMs: 0, sinceMs: 0 } as never
  expect(activityOf(null, after(['EROFS']), moment)?.line[0]?.text).toBe('Not saved: the disk is read-only. ')
  expect(activityOf(null, after(['EROFS', null]), moment)).toBeNull()
  const said = [{ text: 'The conversation is saved again.' }]
  expect(after([null, 'EROFS', null, null]).notices).toMatchObject(said)
  // The answer to a message that waited comes before the notice.
  const acknowledged = updateUi(after(['EROFS']), { kind: 'acknowledged', messageId: 'm' }, context).ui
  expect(updateUi(acknowledged, { kind: 'storage', errno: null }, context).ui.notices).toMatchObject(said)
})

describe('an answer that is refused', () => {
  test('gives the words back that went with it, and says no more where another window was quicker', async () => {
    expect(await refused(no, new RpcError(-32011, 'ada already answered: approved.', late))).toEqual([
      { kind: 'answerRejected', approvalId: 'a1' },
      { kind: 'tookBack', text: 'use trash' },
    ])
  })

  test('says why where nobody answered', async () => {
    const withdrawn = new RpcError(-32011, 'Approval a1 is not pending.', { code: 'approvalNotPending' })
    expect(await refused({ kind: 'decide', approvalId: 'a1', decision: 'approved' }, withdrawn)).toEqual([
      { kind: 'answerRejected', approvalId: 'a1' },
      { kind: 'notice', notice: { kind: 'note', level: 'warning', text: 'Approval a1 is not pending.' } },
    ])
  })

  test('of a form opens it at the field that does not fit', async () => {
    const answers = { title: 'Slow' }
    const unfit = new RpcError(-32602, 'Title: too short.', { code: 'invalidParams', field: 'answers.title' })
    expect(await refused({ kind: 'decide', approvalId: 'a1', decision: 'approved', answers }, unfit)).toEqual([
      { kind: 'formRejected', approvalId: 'a1', answers, field: 'title', problem: 'Title: too short.' },
    ])
  })
})

describe('a change of settings', () => {
  const id = '0190aaaa-bbbb-7ccc-8ddd-eeee98e4ac0c'
  const above = new RpcError(-32030, 'parley server --max-sandbox …; parley resume ID', { code: 'aboveCeiling' })

  test.each([
    [{ sandbox: 'danger-full-access' }, 'parley resume 98e4ac0c -s danger-full-access'],
    [{ sandbox: 'danger-full-access', approvalPolicy: 'never' }, 'resume 98e4ac0c -s danger-full-access -a never'],
  ] as const)('above what the server allows is answered with what to type: %j', async (settings, line) => {
    const { core, window } = after(turnStarted)
    const state = { core: { ...core, meta: { ...core.meta, conversationId: id } }, window }
    const [told] = await performed({ kind: 'configure', settings }, { id, reply: () => Promise.reject(above), state })
    const text = told?.kind === 'notice' && told.notice.kind === 'note' ? told.notice.text : ''
    expect(text.endsWith(line)).toBe(true)
    expect(text).not.toMatch(/ID|--max-sandbox/)
  })

  test('leaves one line', async () => {
    const settings = { sandbox: 'read-only' } as const
    expect(
      await performed(
        { kind: 'configure', settings },
        { id, reply: async () => ({ seq: 1 }), state: after(turnStarted) },
      ),
    ).toEqual([{ kind: 'notice', notice: { kind: 'note', level: 'info', text: 'Sandbox: read-only.' } }])
  })
})

test('an intent before any conversation is open comes back like a rejected one', async () => {
  const told: UiAction[] = []
  const parley = { isSafe: false, request: () => Promise.reject(new Error('nothing may be asked')) }
  const context: IntentContext = {
    isFar: false,
    parley,
    conversation: null,
    dispatch: (...actions) => told.push(...actions),
  }
  await runIntent({ kind: 'shell', command: 'ls' }, context)
  expect(told).toEqual([
    { kind: 'tookBack', text: '!ls' },
    { kind: 'notice', notice: { kind: 'note', level: 'error', text: 'No conversation is open yet.' } },
  ])
})

describe('what a menu waits for', () => {
  const ask = (intent: RequestIntent, answer: unknown) =>
    performed(intent, { id: 'c', state: after(), reply: async () => answer })

  test('are the models, with the one in use first where no provider lists it', async () => {
    const models = { models: [{ provider: 'openai', id: 'o9', current: true }], problems: [], local: [] }
    const filled = {
      kind: 'menuFilled',
      menu: 'model',
      problem: null,
      rows: [{ isCurrent: true }, { key: 'openai o9' }],
    }
    // The lists that were kept first, then what the providers say now.
    expect(await ask({ kind: 'models' }, models)).toMatchObject([filled, filled])
  })

  test('is also the reason why there are none', async () => {
    const closed = new RpcError(-32603, 'No provider is configured.', { code: 'internalError' })
    expect(await refused({ kind: 'models' }, closed)).toEqual([
      { kind: 'menuFilled', menu: 'model', rows: [], problem: 'No provider is configured.' },
    ])
  })

  test('are what was asked last in a conversation, and the last lines of the answer', async () => {
    const item = (type: string, text: string) => ({ seq: 1, at: 0, turnId: null, item: { type, text } })
    const items = [
      item('userMessage', 'Fix it'),
      item('agentMessage', 'One.\n\nTwo.\nThree.\nFour.\n'),
      item('notice', 'x'),
    ]
    expect(await ask({ kind: 'preview', conversationId: 'd' }, { items, more: false })).toEqual([
      { kind: 'previewed', conversationId: 'd', lines: ['› Fix it', 'Two.', 'Three.', 'Four.'] },
    ])
    const gone = new RpcError(-32004, 'There is no conversation d.', { code: 'conversationNotFound' })
    expect(await refused({ kind: 'preview', conversationId: 'd' }, gone)).toMatchObject([{ lines: [] }])
  })

  test('are conversations with the words in their texts, none where the search fails', async () => {
    const excerpt = { seq: 4, at: 0, from: 'model', before: 'the ', words: 'Kafka', after: ' client' }
    const intent = { kind: 'searchTexts', query: 'kafka', archived: false } as const
    const found = [{ conversation: { conversationId: 'd' }, items: 1, excerpt }]
    expect(await ask(intent, { found, total: 1, unread: 0, leftOut: 0 })).toMatchObject([
      { kind: 'textsFound', query: 'kafka', found: [{ listed: { conversationId: 'd' }, place: 'the Kafka client' }] },
    ])
    const full = new RpcError(-32603, 'The disk is full.', { code: 'storageFailed' })
    expect(await refused(intent, full)).toEqual([{ kind: 'textsFound', query: 'kafka', found: [] }])
  })

  test('is the list as it is after a change in it', async () => {
    const conversations = [{ conversationId: 'd' }]
    const change = { kind: 'rename', name: 'the release' } as const
    const intent = { kind: 'changeListed', conversationId: 'd', change, archived: true } as const
    expect(await ask(intent, { conversations, nextCursor: null })).toEqual([
      { kind: 'listed', conversations, archived: true },
    ])
  })
})
