import type { ItemOf } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import type { ShownRewind, UiState } from '../../../src/ui/state/ui-state.ts'
import { updateUi } from '../../../src/ui/update/update-ui.ts'
import { after, answer, completed, turnEnded, turnStarted, userMessage } from '../../view/scenes/conversation.ts'
import { openUi, sceneOf, shown } from '../../view/scenes/scene.ts'
import { contextAt, typeKeys } from '../type-keys.ts'

const idle = after(
  completed(userMessage('first question')),
  turnStarted,
  completed(answer('an answer')),
  completed(userMessage('second question')),
  turnEnded(),
)
const [first] = idle.window
const second = idle.window.findLast(({ item }) => item.type === 'userMessage')

const planned: ShownRewind = {
  at: { seq: 2, turnId: 't1' },
  itemId: first?.item.id ?? '',
  overwrite: false,
  to: 1,
  hash: 'sha256:ab',
  files: 2,
  changedSince: 1,
}

const asked = (plan: Partial<ShownRewind> = {}) =>
  updateUi(openUi, { kind: 'rewindPlanned', rewind: { ...planned, ...plan } }, contextAt(idle, 1_000)).ui

const choose = (ui: UiState, row: number) => typeKeys(ui, idle, ...Array.from({ length: row }, () => 'down'), 'enter')

const rewound = (status: 'completed' | 'failed'): ItemOf<'fileChange'> => ({
  id: 'i-r',
  type: 'fileChange',
  status,
  tool: 'rewind',
  title: 'Take back 1 file',
  text: '',
  changes: [{ path: 'a.txt', kind: 'update', additions: 1, deletions: 2, diff: '', before: 'a', after: 'b' }],
  patchHash: 'h',
  rewind: { to: 1, from: 9, by: { clientId: 'c', name: 'n' } },
})

describe('/rewind', () => {
  test('lists own messages and plans to go back to before the chosen one', () => {
    const listed = typeKeys(openUi, idle, ...'/rewind', 'enter')
    expect(listed.ui.menu).toMatchObject({
      kind: 'rewind',
      rows: [{ text: 'second question' }, { text: 'first question' }],
    })
    expect(typeKeys(openUi, idle, ...'/rewind', 'enter', 'down', 'enter').intents).toEqual([
      { kind: 'planRewind', at: { seq: first?.seq, turnId: first?.turnId }, itemId: first?.item.id, overwrite: false },
    ])
  })

  test('says so where there is nothing to go back to', () => {
    expect(typeKeys(openUi, after(), ...'/rewind', 'enter').ui.notices.at(-1)).toMatchObject({
      text: 'There is nothing to go back to yet.',
    })
  })

  test('asks what of a plan goes back, once it is shown', () => {
    expect(asked().menu?.rows?.map(({ key }) => key)).toEqual([
      'nothing',
      'both',
      'files',
      'talk',
      'bothSummary',
      'talkSummary',
      'overwrite',
    ])
    expect(asked({ files: 0, changedSince: 0 }).menu?.rows?.map(({ key }) => key)).toEqual([
      'nothing',
      'talk',
      'talkSummary',
    ])
    expect(asked({ itemId: null, overwrite: true }).menu?.rows?.map(({ key }) => key)).toEqual(['nothing', 'files'])
    expect(asked({ itemId: null, files: 0, changedSince: 0 }).menu).toBeNull()
    expect(shown({ ...sceneOf(idle, asked()), nowMs: 2_000 })).toContain('files and talk')
  })

  test('takes back exactly what was shown', () => {
    const rewind = planned
    expect(choose(asked(), 1).intents).toEqual([{ kind: 'rewind', rewind, withTalk: true }])
    expect(choose(asked(), 2).intents).toEqual([{ kind: 'rewind', rewind, withTalk: false }])
    expect(choose(asked(), 3).intents).toMatchObject([{ kind: 'fork', before: { seq: first?.seq } }])
    expect(choose(asked(), 4).intents).toEqual([{ kind: 'rewind', rewind, withTalk: true, summary: true }])
    expect(choose(asked(), 5).intents).toMatchObject([{ kind: 'fork', before: { seq: first?.seq }, summary: true }])
    expect(choose(asked(), 6).intents).toMatchObject([{ kind: 'planRewind', at: planned.at, overwrite: true }])
    expect(choose(asked(), 0)).toMatchObject({ intents: [], ui: { rewind: null, menu: null } })
  })

  test('lets the talk follow once the files are back', () => {
    const { ui, intents } = updateUi(
      openUi,
      { kind: 'filesTakenBack', itemId: first?.item.id ?? '' },
      contextAt(idle, 1_000),
    )
    expect(intents).toMatchObject([{ kind: 'fork', before: { seq: first?.seq } }])
    expect(ui.composing.composer.text).toBe('first question')
  })
})

describe('/undo', () => {
  test('plans to go back to before the last message', () => {
    expect(typeKeys(openUi, idle, ...'/undo', 'enter').intents).toMatchObject([
      { kind: 'planRewind', at: { seq: second?.seq }, itemId: second?.item.id },
    ])
  })

  test('plans to undo a rewind that came after it, unless that failed', () => {
    const undone = (status: 'completed' | 'failed') => {
      const item = rewound(status)
      const state = { ...idle, window: [...idle.window, { seq: 12, at: 0, turnId: null, item }] }
      return typeKeys(openUi, state, ...'/undo', 'enter').intents
    }
    expect(undone('completed')).toMatchObject([{ kind: 'planRewind', at: { to: 9 }, itemId: null }])
    expect(undone('failed')).toMatchObject([{ kind: 'planRewind', itemId: second?.item.id }])
  })
})

test('a rewind is a row that says what was taken back', () => {
  const state = { ...idle, window: [...idle.window, { seq: 12, at: 0, turnId: null, item: rewound('completed') }] }
  expect(shown(sceneOf(state, openUi))).toContain('Took back  a.txt')
})
