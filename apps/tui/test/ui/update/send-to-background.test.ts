import { lineText } from '@parley/presentation/text/span'
import { expect, test } from 'vitest'
import { changePart } from '../../../src/ui/state/ui-state.ts'
import { followState } from '../../../src/ui/update/update-ui.ts'
import { activityOf } from '../../../src/view/live/activity.ts'
import {
  after,
  command,
  completed,
  shellCommand,
  started,
  startedAt,
  turnStarted,
} from '../../view/scenes/conversation.ts'
import { openUi, written } from '../../view/scenes/scene.ts'
import { typeKeys } from '../type-keys.ts'

const shell = { ...shellCommand('sleep 100'), id: 's1' }
const executing = { type: 'execution.started', itemId: 'c1', attempt: 1, payloadHash: 'h' } as const
const decidedBy = { rule: { name: 'builtin:test' }, reason: 'It may.' }
const calling = [turnStarted, started({ ...command('make'), id: 'c1' }), { ...executing, decidedBy }] as const
const moment = (ms: number, columns = 80) => ({ nowMs: startedAt + ms, clock: null, room: { columns } })

test('Ctrl+B hides the own command that runs, and Escape stops the turn then', () => {
  const both = after(...calling, started(shell))
  const { ui, intents } = typeKeys(openUi, both, 'ctrl+b')
  expect({ intents, hidden: ui.work.inBackground }).toEqual({ intents: [], hidden: ['s1'] })
  expect(ui.notices).toHaveLength(1)
  expect(lineText(activityOf(both, ui, moment(0))?.line ?? [])).toContain('Running make')
  expect(typeKeys(ui, both, 'escape').intents).toEqual([{ kind: 'interrupt', turnId: 't1' }])
})

test('a command that ended is no longer in the background', () => {
  const { ui } = typeKeys(openUi, after(started(shell)), 'ctrl+b')
  expect(followState(ui, { state: after(started(shell)) }).work.inBackground).toEqual(['s1'])
  expect(followState(ui, { state: after(turnStarted) }).work.inBackground).toEqual([])
})

test('Escape stops the own commands beside one in the background, by name', () => {
  const { ui } = typeKeys(openUi, after(started(shell)), 'ctrl+b')
  const next = after(started(shell), started({ ...shell, id: 's2' }))
  expect(typeKeys(ui, next, 'escape').intents).toEqual([{ kind: 'stopShell', itemIds: ['s2'] }])
})

test('Ctrl+B sends the command of the model to the background', () => {
  expect(typeKeys(openUi, after(...calling), 'ctrl+b').intents).toEqual([{ kind: 'background', itemId: 'c1' }])
})

test('Ctrl+B moves the caret in a text, and while no command runs', () => {
  const text = changePart(openUi, 'composing', { composer: written('text') })
  const moved = typeKeys(text, after(...calling), 'ctrl+b')
  expect({ intents: moved.intents, caret: moved.ui.composing.composer.caret }).toEqual({ intents: [], caret: 3 })
  expect(typeKeys(openUi, after(turnStarted), 'ctrl+b').intents).toEqual([])
})

test('a command that runs for long shows the key where there is room', () => {
  const state = after(...calling)
  const line = (ms: number, columns?: number) => lineText(activityOf(state, openUi, moment(ms, columns))?.line ?? [])
  expect(line(4_000)).not.toContain('ctrl+b')
  expect(line(6_000)).toMatch(/esc stops · ctrl\+b background$/)
  expect(line(6_000, 40)).not.toContain('ctrl+b')
})

test('/ps lists the commands in the background; Enter or → opens one, after /ps stop Enter twice stops it', () => {
  const background = command('make', { id: 'c1', status: 'completed', background: true })
  const state = after(turnStarted, completed(background), started(shell))
  const ui = changePart(openUi, 'work', { inBackground: ['s1'] })
  const listed = typeKeys(ui, state, '/ps', 'enter')
  expect(listed.ui.menu?.rows?.map(({ key }) => key)).toEqual(['c1', 's1'])
  const shown = [{ kind: 'showProcess', process: { itemId: 'c1', title: 'make' } }]
  expect(typeKeys(ui, state, '/ps', 'enter', 'enter').intents).toEqual(shown)
  expect(typeKeys(ui, state, '/ps', 'enter', 'right').intents).toEqual(shown)
  expect(typeKeys(ui, state, '/ps', 'enter', 'm', 'right').intents).toEqual([])
  const once = typeKeys(ui, state, '/ps stop', 'enter', 'enter')
  expect({ intents: once.intents, confirming: once.ui.menu?.confirming }).toEqual({ intents: [], confirming: 'c1' })
  expect(typeKeys(ui, state, '/ps stop', 'enter', 'enter', 'enter').intents).toEqual([
    { kind: 'stopShell', itemIds: ['c1'] },
  ])
})

test('/ps type types a line into the one command of the model that runs there, or asks into which', () => {
  const inBackground = (id: string) => completed(command('make', { id, status: 'completed', background: true }))
  const ui = changePart(openUi, 'work', { inBackground: ['s1'] })
  const one = after(turnStarted, inBackground('c1'), started(shell))
  expect(typeKeys(ui, one, '/ps type 2 + 2', 'enter').intents).toEqual([
    { kind: 'typeInProcess', itemId: 'c1', text: '2 + 2' },
  ])
  const two = after(turnStarted, inBackground('c1'), inBackground('c2'))
  expect(typeKeys(ui, two, '/ps type 2 + 2', 'enter').intents).toEqual([])
  expect(typeKeys(ui, two, '/ps type 2 + 2', 'enter', 'down', 'enter').intents).toEqual([
    { kind: 'typeInProcess', itemId: 'c2', text: '2 + 2' },
  ])
  expect(typeKeys(ui, after(turnStarted), '/ps type x', 'enter').ui.notices.at(-1)).toMatchObject({
    text: 'No command of the model runs in the background, so nothing was typed.',
  })
})

test('/ps says so where no command runs in the background', () => {
  const { ui } = typeKeys(openUi, after(turnStarted), '/ps', 'enter')
  expect({ menu: ui.menu, notice: ui.notices.at(-1) }).toMatchObject({
    menu: null,
    notice: { text: 'No command runs in the background.' },
  })
})
