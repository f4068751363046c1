import { describe, expect, test } from 'vitest'
import { changePart, initialUi, type UiState } from '../../../src/ui/state/ui-state.ts'
import { updateUi } from '../../../src/ui/update/update-ui.ts'
import {
  after,
  colleague,
  command,
  completed,
  queued,
  requested,
  shellCommand,
  started,
  turnEnded,
  turnStarted,
  userMessage,
} from '../../view/scenes/conversation.ts'
import { openUi, written } from '../../view/scenes/scene.ts'
import { contextAt, typeKeys } from '../type-keys.ts'

const idle = after(completed(userMessage('first')), turnStarted, turnEnded())
const running = after(turnStarted, completed(userMessage('go')))
const lastNotice = ({ notices }: UiState) => JSON.stringify(notices.at(-1))

const flags = { readOnly: false, onlyWatches: false, attached: false, ephemeral: false }
const openedHere = { kind: 'opened', opened: { conversationId: 'c', shortId: 's', ...flags } } as const
const connected = (ui: UiState) => changePart(ui, 'connection', { link: openUi.connection.link })
const writing = (ui: UiState, text: string) => changePart(ui, 'composing', { composer: written(text) })

describe('Enter', () => {
  test('sends the text and clears it', () => {
    const { ui, intents } = typeKeys(openUi, idle, 'hello', 'enter')
    expect(intents).toEqual([{ kind: 'send', message: { messageId: 'id-11000', text: 'hello', when: 'steer' } }])
    expect(ui.composing.composer.text).toBe('')
    expect(ui.outbox.unsent).toHaveLength(1)
  })

  test('with Alt waits for the next turn', () => {
    expect(typeKeys(openUi, running, 'later', 'alt+enter').intents).toMatchObject([{ message: { when: 'queue' } }])
  })

  test('holds a message until the server has answered, and then sends it', () => {
    const starting: UiState = writing(initialUi, 'early')
    const { ui, intents } = typeKeys(starting, null, 'enter')
    expect(intents).toEqual([])
    const step = updateUi(ui, openedHere, contextAt(null, 0))
    expect(step.intents).toMatchObject([{ kind: 'send', message: { text: 'early' } }])
  })

  test('holds a command until the conversation is open, and then runs it', () => {
    const starting: UiState = connected(initialUi)
    const typed = typeKeys(starting, null, '/sandbox', 'enter').ui
    expect(typed).toMatchObject({ menu: null, composing: { composer: { text: '' } } })
    const { ui } = updateUi(typed, openedHere, contextAt(idle, 0))
    expect(ui.menu).toMatchObject({ kind: 'sandbox' })
    expect(updateUi(ui, openedHere, contextAt(idle, 1)).ui.menu).toBeNull()
  })

  test('before the conversation is open lets a path be completed once it is', () => {
    const typed = typeKeys(connected(initialUi), null, 'see @ca').ui
    expect(updateUi(typed, openedHere, contextAt(idle, 0)).intents).toMatchObject([{ kind: 'listFiles' }])
  })

  test('after ! gives the terminal to a program that needs it, unless the folder is on another machine', () => {
    expect(typeKeys(openUi, idle, '!vi a.txt', 'enter').intents).toEqual([
      { kind: 'runInTerminal', command: 'vi a.txt', folder: idle.core.meta.cwd },
    ])
    const { core } = idle
    const remote = { ...idle, core: { ...core, settings: { ...core.settings, environment: 'box' } } }
    expect(typeKeys(openUi, remote, '!vi a.txt', 'enter').intents).toEqual([{ kind: 'shell', command: 'vi a.txt' }])
  })

  test('keeps the text when the server is gone', () => {
    const lost = changePart(openUi, 'connection', { link: { kind: 'lost' } })
    const { ui, intents } = typeKeys(lost, idle, 'kept', 'enter')
    expect({ text: ui.composing.composer.text, intents }).toEqual({ text: 'kept', intents: [] })
  })

  test('in a read-only view shows what to do instead, and Up restores the text', () => {
    const view: UiState = {
      ...openUi,
      opened: {
        conversationId: 'c',
        shortId: 's',
        readOnly: true,
        onlyWatches: false,
        attached: false,
        ephemeral: false,
      },
    }
    const { ui, intents } = typeKeys(view, idle, 'hi', 'enter')
    expect({ text: ui.composing.composer.text, intents }).toEqual({ text: '', intents: [] })
    expect(lastNotice(ui)).toContain('/fork')
    expect(typeKeys(ui, idle, 'up').ui.composing.composer.text).toBe('hi')
  })

  test('runs a line with an exclamation mark as a command of the user', () => {
    expect(typeKeys(openUi, idle, '!git status', 'enter').intents).toEqual([{ kind: 'shell', command: 'git status' }])
  })

  test('on an empty line sends a paused inbox, and nothing when none is paused', () => {
    const paused = after(turnStarted, queued('later', 'queue'), turnEnded('interrupted'))
    expect(typeKeys(openUi, paused, 'enter').intents).toEqual([{ kind: 'continue' }])
    expect(typeKeys(openUi, idle, 'enter').intents).toEqual([])
  })

  test('on an empty line starts a call that was approved before a crash', () => {
    const parked = after(
      turnStarted,
      started(command('make')),
      requested(),
      { type: 'approval.decided', approvalId: 'a1', decision: 'approved', by: colleague },
      { type: 'turn.parked', turnId: 't1', reason: 'ended' },
    )
    expect(typeKeys(openUi, parked, 'enter').intents).toEqual([{ kind: 'continue' }])
  })

  test('on an empty line ends the wait before a retry, and with text sends it', () => {
    const failure = { code: 'overloaded', message: 'Busy.' }
    const waiting = after(turnStarted, { type: 'retry.scheduled', turnId: 't1', retryAt: 9e12, attempt: 2, failure })
    expect(typeKeys(openUi, waiting, 'enter').intents).toEqual([{ kind: 'retryNow' }])
    expect(typeKeys(openUi, waiting, 'hi', 'enter').intents).toMatchObject([{ kind: 'send' }])
  })
})

test('commands entered before the conversation is open run in their order', () => {
  const starting: UiState = writing(initialUi, '/model nova')
  const first = typeKeys(starting, null, 'enter').ui
  const second = typeKeys(writing(first, '/effort high'), null, 'enter').ui
  const step = updateUi(connected(second), openedHere, contextAt(idle, 0))
  expect(step.intents).toEqual([
    { kind: 'configure', settings: { model: 'nova' } },
    { kind: 'configure', settings: { effort: 'high' } },
  ])
  expect(step.ui.outbox.earlyCommands).toEqual([])
})

test('commands entered behind one that opens another conversation wait for that one', () => {
  const waiting = changePart(openUi, 'outbox', { earlyCommands: ['/new', '/effort high'] })
  const step = updateUi(waiting, openedHere, contextAt(idle, 0))
  expect(step).toMatchObject({ intents: [{ kind: 'new' }], ui: { outbox: { earlyCommands: ['/effort high'] } } })
})

test('Up shows earlier messages, of the conversation and then of the folder', () => {
  expect(typeKeys(openUi, idle, 'up').ui.composing.composer.text).toBe('first')
  const { ui } = updateUi(openUi, { kind: 'recalled', prompts: ['older', 'first', 'old'] }, contextAt(idle, 0))
  expect(typeKeys(ui, idle, 'up', 'up').ui.composing.composer.text).toBe('old')
  expect(typeKeys(ui, idle, 'up', 'up', 'up').ui.composing.composer.text).toBe('older')
})

describe("a running command of the user's own", () => {
  const shell = { ...shellCommand('sleep 100'), id: 's1' }
  const both = after(turnStarted, started(shell))

  test('is stopped by Escape before the turn, which goes on', () => {
    const { ui, intents } = typeKeys(openUi, both, 'escape')
    expect({ intents, stopping: ui.work.stoppingCommand }).toEqual({ intents: [{ kind: 'stopShell' }], stopping: 's1' })
    expect(typeKeys(ui, both, 'escape').intents).toEqual([{ kind: 'interrupt', turnId: 't1' }])
  })

  test('is forgotten once it has ended, and the next one can be stopped', () => {
    const { ui } = typeKeys(openUi, both, 'escape')
    const next = after(turnStarted, started({ ...shell, id: 's2' }))
    expect(typeKeys(ui, next, 'escape').intents).toEqual([{ kind: 'stopShell' }])
  })
})

describe('messages that wait', () => {
  const waiting = after(turnStarted, queued('one', 'steer'), queued('two', 'queue'))

  test('are edited by Up, the newest first, and saved by Enter', () => {
    const { ui, intents } = typeKeys(openUi, waiting, 'up', '!', 'enter')
    expect(intents).toEqual([{ kind: 'editQueued', messageId: 'two', text: 'two!' }])
    expect(ui.composing.purpose.kind).toBe('message')
  })

  test('are removed when their text is deleted', () => {
    expect(typeKeys(openUi, waiting, 'up', 'ctrl+u', 'enter').intents).toEqual([
      { kind: 'removeQueued', messageId: 'two' },
    ])
  })

  test('whose text is in a file are not edited', () => {
    const long = { ...queued('beginning', 'queue') }
    if (long.type === 'message.queued')
      long.message = {
        ...long.message,
        content: [{ type: 'text', text: 'beginning', file: 'sha256:0', totalBytes: 9e6 }],
      }
    const waitingLong = after(turnStarted, long)
    const up = typeKeys(openUi, waitingLong, 'up')
    expect(up.ui).toMatchObject({ composing: { composer: { text: '' }, purpose: { kind: 'message' } } })
    expect(up.ui.notices.at(-1)).toMatchObject({ text: expect.stringContaining('too long to be changed here') })
    expect(typeKeys(openUi, waitingLong, 'escape').intents).toEqual([{ kind: 'interrupt', turnId: 't1' }])
  })

  test('return to the composer in order when the turn is interrupted', () => {
    const { ui, intents } = typeKeys(openUi, waiting, 'escape')
    expect(intents).toEqual([
      { kind: 'takeBack', messageId: 'two', text: 'two' },
      { kind: 'takeBack', messageId: 'one', text: 'one' },
      { kind: 'interrupt', turnId: 't1' },
    ])
    const back = intents.flatMap((intent) => (intent.kind === 'takeBack' ? [intent.text] : []))
    const after = back.reduce((next, text) => updateUi(next, { kind: 'tookBack', text }, contextAt(waiting, 0)).ui, ui)
    expect(after.composing.composer.text.trim()).toBe('one\ntwo')
  })

  test('of other clients stay in the queue', () => {
    const { intents } = typeKeys(changePart(openUi, 'connection', { ownClients: ['other'] }), waiting, 'escape')
    expect(intents).toEqual([{ kind: 'interrupt', turnId: 't1' }])
  })
})

describe('slash commands', () => {
  test('that do not exist are the newest entry of the history', () => {
    const { ui, intents } = typeKeys(openUi, idle, '/modle x', 'enter')
    expect({ text: ui.composing.composer.text, intents }).toEqual({ text: '', intents: [] })
    expect(lastNotice(ui)).toContain('did you mean /model?')
    expect(typeKeys(ui, idle, 'up').ui.composing.composer.text).toBe('/modle x')
    const { ui: next } = typeKeys(ui, idle, 'hello', 'enter')
    expect(typeKeys(next, idle, 'up').ui.composing.composer.text).toBe('first')
  })

  test.each(['/fork', '/new'])('%s is refused in a window that only watches', (command) => {
    const opened = {
      conversationId: 'c',
      shortId: 's',
      readOnly: true,
      onlyWatches: true,
      attached: false,
      ephemeral: false,
    }
    const { ui, intents } = typeKeys({ ...openUi, opened }, idle, command, 'enter')
    expect(intents).toEqual([])
    expect(lastNotice(ui)).toContain('This window only watches')
  })

  test.each([
    ['/model gpt-5', { kind: 'configure', settings: { model: 'gpt-5' } }],
    ['/model ollama llama3:8b', { kind: 'configure', settings: { modelProvider: 'ollama', model: 'llama3:8b' } }],
    ['/effort low', { kind: 'configure', settings: { effort: 'low' } }],
    ['/mode plan', { kind: 'configure', settings: { approvalPolicy: 'on-request', sandbox: 'read-only' } }],
    ['/approvals never', { kind: 'configure', settings: { approvalPolicy: 'never' } }],
    ['/sandbox read-only', { kind: 'configure', settings: { sandbox: 'read-only' } }],
    ['/name release', { kind: 'rename', name: 'release' }],
    ['/fork', { kind: 'fork', conversationId: 'c' }],
    ['/new', { kind: 'new' }],
    ['/quit', { kind: 'leave' }],
    ['/detach', { kind: 'detach' }],
    ['/mcp', { kind: 'mcp' }],
    ['/mcp restart git', { kind: 'restartMcp', name: 'git' }],
  ])('%s requests %o', (text, intent) => {
    expect(typeKeys(writing(openUi, text), idle, 'enter').intents).toEqual([intent])
  })

  test('trust only the shown configuration, by a typed word', () => {
    const blind = typeKeys(openUi, idle, '/trust yes', 'enter')
    expect(blind.intents).toEqual([])
    expect(lastNotice(blind.ui)).toContain('Look at it first')
    expect(typeKeys(openUi, idle, '/trust', 'enter').intents).toEqual([{ kind: 'readTrust' }])
    const { ui } = updateUi(openUi, { kind: 'trustShown', hash: 'h' }, contextAt(idle, 0))
    expect(typeKeys(ui, idle, 'enter', '/trust y', 'enter').intents).toEqual([])
    const yes = { kind: 'decideTrust', hash: 'h', verdict: 'trusted' }
    expect(typeKeys(ui, idle, '/trust yes', 'enter').intents).toEqual([yes])
    expect(typeKeys(ui, idle, '/trust no', 'enter').intents).toEqual([{ ...yes, verdict: 'declined' }])
    const there = {
      conversationId: 'd',
      shortId: 'd',
      readOnly: false,
      onlyWatches: false,
      attached: false,
      ephemeral: false,
    }
    const moved = updateUi(ui, { kind: 'opened', opened: there }, contextAt(idle, 0))
    expect(typeKeys(moved.ui, idle, '/trust yes', 'enter').intents).toEqual([])
  })

  test('are chosen from the list by arrows, completed by Tab and run by Enter', () => {
    expect(typeKeys(openUi, idle, '/s', 'down', 'tab').ui.composing.composer.text).toBe('/status ')
    expect(typeKeys(openUi, idle, '/sta', 'enter').intents).toEqual([{ kind: 'status' }])
    expect(typeKeys(openUi, idle, '/why', 'enter').intents).toEqual([{ kind: 'why' }])
    expect(typeKeys(openUi, idle, '/why 2', 'enter').intents).toEqual([{ kind: 'why', item: '2' }])
  })

  test.each([
    ['/effort banana', 'none, minimal, low, medium, high, xhigh'],
    ['/approvals foo', 'untrusted, on-failure, on-request, never'],
    ['/sandbox off', 'read-only, workspace-write, danger-full-access'],
  ])('%s changes nothing and names the choices', (text, choices) => {
    const { ui, intents } = typeKeys(writing(openUi, text), idle, 'enter')
    expect(intents).toEqual([])
    expect(lastNotice(ui)).toContain('is not a choice, nothing changed')
    expect(lastNotice(ui)).toContain(`Choices: ${choices}.`)
  })

  test('without the argument that they need say how they are written', () => {
    const { ui, intents } = typeKeys(openUi, idle, '/name', 'enter')
    expect({ text: ui.composing.composer.text, intents }).toEqual({ text: '/name ', intents: [] })
    expect(lastNotice(ui)).toContain('/name NAME: name this conversation')
    expect(lastNotice(typeKeys(openUi, idle, '/name ', 'enter').ui)).toContain('/name NAME: name this conversation')
    expect(typeKeys(openUi, idle, '/nam', 'enter').ui.notices).toEqual([])
  })

  test('answer to the names that hands know from elsewhere', () => {
    expect(typeKeys(openUi, idle, '/exit', 'enter').intents).toEqual([{ kind: 'leave' }])
    expect(typeKeys(openUi, idle, '/permissions', 'enter').ui.menu?.kind).toBe('approvals')
    expect(typeKeys(openUi, idle, '/rename cart', 'enter').intents).toEqual([{ kind: 'rename', name: 'cart' }])
  })

  test('begin a new conversation in an empty window', () => {
    expect(typeKeys(openUi, idle, '/clear', 'enter').intents).toEqual([{ kind: 'clear' }, { kind: 'new' }])
  })

  test('compact what the model sees, or undo that', () => {
    expect(typeKeys(openUi, idle, '/compact', 'enter').intents).toEqual([{ kind: 'compact', what: '' }])
    expect(typeKeys(openUi, idle, '/compact the prices', 'enter').intents).toEqual([
      { kind: 'compact', what: 'the prices' },
    ])
    expect(typeKeys(openUi, idle, '/compact undo', 'enter').intents).toEqual([{ kind: 'undoCompaction' }])
  })

  test('show the plan, or that there is none', () => {
    const plan = { steps: [{ step: 'Find it', status: 'inProgress' as const }] }
    const planned = after({ type: 'plan.updated', plan })
    expect(typeKeys(openUi, planned, '/plan', 'enter').ui.notices).toEqual([{ kind: 'plan', plan }])
    expect(lastNotice(typeKeys(openUi, idle, '/plan', 'enter').ui)).toContain('There is no plan')
  })

  test('choose the colours at once, by name or from a menu', () => {
    const dark = typeKeys(openUi, idle, '/theme dark', 'enter')
    expect([dark.ui.look.theme, dark.intents]).toEqual(['dark', [{ kind: 'keepTheme', theme: 'dark' }]])
    const light = typeKeys(openUi, idle, '/theme', 'enter', 'light', 'enter').ui
    expect(light).toMatchObject({ look: { theme: 'light' }, menu: null })
    expect(lastNotice(typeKeys(openUi, idle, '/theme pink', 'enter').ui)).toContain('is not a choice')
  })

  test('with a blank before their name stay in the composer', () => {
    const { ui, intents } = typeKeys(openUi, idle, '/ text', 'enter')
    expect({ text: ui.composing.composer.text, intents }).toEqual({ text: '/ text', intents: [] })
    expect(lastNotice(ui)).toContain('see /help')
  })

  test('close their list on Escape and keep the text', () => {
    const { ui, intents } = typeKeys(openUi, running, '/s', 'escape')
    expect({ text: ui.composing.composer.text, intents }).toEqual({ text: '/s', intents: [] })
  })
})

describe('the list of conversations', () => {
  const listed = (id: string, title: string) => ({
    conversationId: id,
    shortId: id,
    cwd: '/x',
    title,
    name: null,
    createdAt: 0,
    updatedAt: 0,
    archived: false,
    forkedFrom: null,
    live: null,
  })
  const open = updateUi(openUi, { kind: 'pick', liveOnly: false, folder: null }, contextAt(idle, 0))
  const { ui } = updateUi(
    open.ui,
    { kind: 'listed', conversations: [listed('a', 'Fix the cart'), listed('b', 'Write docs')], archived: false },
    contextAt(idle, 0),
  )

  test('is requested, filtered by the typed text and opened by Enter', () => {
    expect(open.intents).toEqual([{ kind: 'list', archived: false }])
    expect(typeKeys(ui, idle, 'docs', 'enter').intents.at(-1)).toEqual({ kind: 'open', conversationId: 'b' })
    expect(typeKeys(ui, idle, 'down', 'enter').intents).toEqual([{ kind: 'open', conversationId: 'b' }])
  })

  test('does not mark conversations of its own server as live', () => {
    const conversations = [
      { ...listed('a', 'Mine'), live: { pid: 1, socket: null } },
      { ...listed('b', 'Theirs'), live: { pid: 2, socket: null } },
    ]
    const { menu } = updateUi(open.ui, { kind: 'listed', conversations, archived: false }, contextAt(idle, 0)).ui
    expect(menu?.rows?.map(({ listed: row }) => row?.live?.pid)).toEqual([undefined, 2])
  })

  test('has only live conversations for attaching', () => {
    const attaching = updateUi(openUi, { kind: 'pick', liveOnly: true, folder: null }, contextAt(idle, 0)).ui
    const conversations = [listed('a', 'Done'), { ...listed('b', 'Theirs'), live: { pid: 2, socket: null } }]
    const { menu } = updateUi(attaching, { kind: 'listed', conversations, archived: false }, contextAt(idle, 0)).ui
    expect(menu?.rows).toMatchObject([{ key: 'b' }])
  })

  test('closes on Escape, and ends the program where no conversation is open', () => {
    expect(typeKeys(ui, idle, 'escape').ui.menu).toBeNull()
    expect(typeKeys({ ...ui, opened: null }, null, 'ctrl+c').intents).toEqual([{ kind: 'leave' }])
  })
})
