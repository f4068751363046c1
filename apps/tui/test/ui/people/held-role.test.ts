import { lineText } from '@parley/presentation/text/span'
import type { ConversationEvent, Role } from '@parley/protocol'
import { expect, test } from 'vitest'
import { onlyReads } from '../../../src/ui/people/held-role.ts'
import type { UiState } from '../../../src/ui/state/ui-state.ts'
import { followState, updateUi } from '../../../src/ui/update/update-ui.ts'
import { completionRows, composerRows } from '../../../src/view/live/composer-rows.ts'
import { after, completed, requested, turnStarted, userMessage } from '../../view/scenes/conversation.ts'
import { openUi } from '../../view/scenes/scene.ts'
import { contextAt, seenAt, typeKeys } from '../type-keys.ts'

const by = { clientId: 'c9', name: 'test' }
const shared = (role: Role): ConversationEvent => ({
  type: 'conversation.shared',
  access: { members: [{ user: 'bo', role }], links: [] },
  by,
})
const asked = (role: Role) => after(shared(role), turnStarted, completed(userMessage('go')), requested())
const quiet = (role: Role) => after(shared(role), completed(userMessage('go')))

/** Returns the window of bo, with this role. */
function windowOf(role: Role, state = quiet(role)): UiState {
  const { opened } = openUi
  if (opened === null) throw new Error('nothing is open')
  const own = { ...openUi, opened: { ...opened, person: { kind: 'user', name: 'bo' } } } as const
  return followState(own, { state })
}

const said = ({ notices }: UiState) => JSON.stringify(notices.at(-1))

test.each(['reader', 'approver'] as const)('a window of a %s sends nothing and says why', (role) => {
  const { ui, intents } = typeKeys(windowOf(role), quiet(role), 'hello', 'enter')
  expect(intents).toEqual([])
  expect(said(ui)).toContain(`(${role})`)
  expect(typeKeys(windowOf(role), quiet(role), 'shift+tab').intents).toEqual([])
})

test('an empty composer says what a role allows, whole also in a narrow window', () => {
  const said = (role: Role, columns: number) =>
    composerRows(quiet(role), windowOf(role), { columns, ambiguous: 1 }, 3).rows.map(lineText)
  expect(said('approver', 44)).toEqual(['› you may answer questions, not send'])
  expect(said('reader', 80)).toEqual(['› you may read this conversation · /fork goes on in a copy'])
})

test('a user of a team is promised no command of their own', () => {
  const { ui } = typeKeys(windowOf('editor'), quiet('editor'), '!ls')
  const rows = completionRows(ui, { columns: 80 }, 3).map(lineText)
  expect(rows.join(' ')).toContain('ask the model for it')
})

test('an approver answers with a key, and a reader does not', () => {
  const answer = (role: Role) => {
    const state = asked(role)
    return typeKeys(seenAt(windowOf(role, state), state, 0), state, 'n', 'enter').intents
  }
  expect(answer('approver')).toMatchObject([{ kind: 'decide', decision: 'denied' }])
  expect(answer('reader')).toEqual([])
})

test('the Escape of an approver at a question gives the answer that stops, as its row says', () => {
  const press = (role: Role) => {
    const state = asked(role)
    return typeKeys(seenAt(windowOf(role, state), state, 0), state, 'escape').intents
  }
  expect(press('approver')).toMatchObject([{ kind: 'decide', decision: 'abort' }])
  expect(press('reader')).toEqual([])
  expect(press('editor')).toMatchObject([{ kind: 'interrupt' }])
})

test('a window whose conversation was taken away says who can change that, once, and sends nothing', () => {
  const state = after({
    type: 'conversation.shared',
    access: {
      members: [
        { user: 'ada', role: 'owner' },
        { user: 'bo', role: 'editor' },
      ],
      links: [],
    },
    by,
  })
  const step = (ui: UiState) => updateUi(ui, { kind: 'takenAway' }, contextAt(state, 0)).ui
  const closed = step(windowOf('editor', state))
  expect(said(closed)).toContain('Ask ada for a role; /resume opens it then')
  expect(step(closed)).toBe(closed)
  // The last state says editor still.
  const still = followState(closed, { state })
  const { ui, intents } = typeKeys(still, state, 'hello', 'enter')
  expect(intents).toEqual([])
  expect(said(ui)).toContain('You have no role in this conversation any more')
  expect(typeKeys(still, state, '/fork', 'enter').intents).toEqual([])
})

test('a window of a link says that the link was revoked or has expired, and names no role', () => {
  const state = after(
    { type: 'conversation.shared', access: { members: [{ user: 'ada', role: 'owner' }], links: [] }, by },
    completed(userMessage('go')),
  )
  const conversationId = openUi.opened?.conversationId
  if (openUi.opened === null || conversationId === undefined) throw new Error('nothing is open')
  const person = { kind: 'guest', conversationId, codeHash: 'a' } as const
  const reading = followState({ ...openUi, opened: { ...openUi.opened, person } }, { state })
  const { ui } = updateUi(reading, { kind: 'takenAway' }, contextAt(state, 0))
  expect(said(ui)).toContain('The link to this conversation was revoked or has expired, or')
  expect(said(ui)).toContain('Ask ada for another link.')
  const shown = composerRows(state, ui, { columns: 80, ambiguous: 1 }, 3).rows.map(lineText)
  expect(shown).toEqual(['› the link was revoked or has expired'])
  const sending = typeKeys(ui, state, 'hello', 'enter').ui
  for (const text of [said(ui), said(sending), said(typeKeys(reading, state, 'hello', 'enter').ui)])
    expect(text).not.toMatch(/\brole\b|\/fork|\/new/)
})

test('a role that an owner changes holds at once', () => {
  const reading = windowOf('reader')
  expect(onlyReads(reading.opened)).toBe(true)
  const editing = followState(reading, { state: quiet('editor') })
  expect(onlyReads(editing.opened)).toBe(false)
  expect(typeKeys(editing, quiet('editor'), 'hello', 'enter').intents).toMatchObject([{ kind: 'send' }])
})
