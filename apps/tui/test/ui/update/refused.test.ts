import { expect, test } from 'vitest'
import { after, completed, turnEnded, turnStarted, userMessage } from '../../view/scenes/conversation.ts'
import { openUi } from '../../view/scenes/scene.ts'
import { typeKeys } from '../type-keys.ts'

const idle = after(completed(userMessage('first')), turnStarted, turnEnded())

test.each([
  [[4], [{ kind: 'leaveOut' }]],
  [[], [{ kind: 'leaveOut', half: true }]],
])(
  'Enter on an empty line leaves out the parts %j that the provider refused, and with text sends it',
  (seqs, intents) => {
    const refused = { itemIds: [], seqs: [...seqs], what: '' }
    const failure = { code: 'invalidRequest', message: 'Refused.', refused }
    const failed = after(turnStarted, turnEnded('failed', failure))
    expect(typeKeys(openUi, failed, 'enter').intents).toEqual(intents)
    expect(typeKeys(openUi, failed, 'other', 'enter').intents).toMatchObject([{ kind: 'send' }])
  },
)

test('/repair leaves out what the provider refused, or undoes that', () => {
  expect(typeKeys(openUi, idle, '/repair', 'enter').intents).toEqual([{ kind: 'leaveOut' }])
  expect(typeKeys(openUi, idle, '/repair half', 'enter').intents).toEqual([{ kind: 'leaveOut', half: true }])
  expect(typeKeys(openUi, idle, '/repair undo', 'enter').intents).toEqual([{ kind: 'undoCompaction' }])
})
