import { expect, test } from 'vitest'
import { updateUi } from '../../../src/ui/update/update-ui.ts'
import { contextAt, typeKeys } from '../../ui/type-keys.ts'
import { after, executionStarted, requested, started, toolCall, turnStarted } from '../scenes/conversation.ts'
import { openUi, sceneOf, shown } from '../scenes/scene.ts'

const evil = 'a\x1b]2;owned\x07\x9b2J\u202eb'

/** Everything of a question that a tool server writes. */
const question = requested({
  itemId: 'l1',
  kind: 'elicitation',
  title: `title ${evil}`,
  detail: `detail ${evil}`,
  reason: `The MCP server "${evil}" asks.`,
  decisions: ['approved', 'denied', 'abort'],
  form: {
    fields: [
      { name: 'n', title: `name ${evil}`, description: evil, type: 'string', required: true, default: `given ${evil}` },
      { name: 'c', title: evil, type: 'choice', choices: [{ value: evil, title: `choice ${evil}` }], required: true },
    ],
  },
})
const asking = after(turnStarted, started(toolCall('create_issue')), executionStarted('l1'), question)

test('text of a tool server in a form is visible and has no effect on the terminal', () => {
  const opened = typeKeys(openUi, asking, 'y').ui
  const refused = { approvalId: 'a1', answers: {}, field: 'n', problem: `problem ${evil}` }
  const again = updateUi({ ...openUi }, { kind: 'formRejected', ...refused }, contextAt(asking, 0)).ui
  const second = typeKeys(opened, asking, 'enter').ui
  const screens = [openUi, opened, second, again].map((ui) => shown(sceneOf(asking, ui)))
  const all = screens.join('\n')
  expect(all.match(/[^\n\P{C}]/u)).toBeNull()
  for (const word of ['detail a', 'given a', 'choice a', 'problem a']) expect(all).toContain(word)
})
