import { expect, test } from 'vitest'
import type { UiAction } from '../../../src/ui/state/actions.ts'
import { updateUi } from '../../../src/ui/update/update-ui.ts'
import { after } from '../../view/scenes/conversation.ts'
import { openUi } from '../../view/scenes/scene.ts'
import { contextAt } from '../type-keys.ts'

test('trouble of the storage that is over when its conversation is opened again is said to be, and no other', () => {
  const { opened } = openUi
  if (opened === null) throw new Error('nothing is open')
  const openedHere = { kind: 'opened', opened } as const
  const troubled = updateUi(openUi, { kind: 'storage', errno: 'STORE_GONE' }, contextAt(after(), 0)).ui
  const step = (action: UiAction) => updateUi(troubled, action, contextAt(after(), 0)).ui
  expect(JSON.stringify(step(openedHere).notices.at(-1))).toContain('The conversation is saved again.')
  const still = step({ ...openedHere, storage: 'STORE_SLOW' })
  expect([still.storage.errno, still.notices]).toEqual(['STORE_SLOW', troubled.notices])
  const other = step({ ...openedHere, opened: { ...opened, conversationId: 'd' } })
  expect([other.storage.errno, other.notices]).toEqual([null, troubled.notices])
})
