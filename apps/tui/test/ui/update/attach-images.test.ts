import { describe, expect, test } from 'vitest'
import { changePart, type UiState } from '../../../src/ui/state/ui-state.ts'
import { updateUi } from '../../../src/ui/update/update-ui.ts'
import { after, completed, turnEnded, turnStarted, userMessage } from '../../view/scenes/conversation.ts'
import { openUi, sceneOf, shown, written } from '../../view/scenes/scene.ts'
import { contextAt, typeKeys } from '../type-keys.ts'

const idle = after(completed(userMessage('first')), turnStarted, turnEnded())
const context = contextAt(idle, 10_000)

function pasted(ui: UiState, text: string) {
  return updateUi(ui, { kind: 'key', event: { kind: 'paste', text } }, context)
}

/** The composer after a paste of these paths, which exist. */
function attached(ui: UiState, ...paths: readonly string[]): UiState {
  const text = paths.join(' ')
  return updateUi(pasted(ui, text).ui, { kind: 'imagesFound', pasted: text, paths }, context).ui
}

describe('a pasted path of an image', () => {
  test('is looked for, and stays text until it is found', () => {
    const step = pasted(changePart(openUi, 'composing', { composer: written('see ') }), '/tmp/a.png')
    expect(step.ui.composing.composer.text).toBe('see /tmp/a.png')
    expect(step.intents).toEqual([
      { kind: 'findImages', pasted: '/tmp/a.png', readings: [['/tmp/a.png'], ['/tmp/a.png']] },
    ])
  })

  test('becomes a mark, and the image is sent with it', () => {
    const ui = attached(changePart(openUi, 'composing', { composer: written('see ') }), '/tmp/a.png')
    expect(shown(sceneOf(idle, ui))).toContain('› see [image a.png]▏')
    const { intents } = typeKeys(ui, idle, ' now', 'enter')
    expect(intents).toMatchObject([
      { kind: 'send', message: { text: 'see [image a.png] now', images: ['/tmp/a.png'] } },
    ])
  })

  test('is not sent once its mark is deleted, which one key does', () => {
    const ui = attached(openUi, '/tmp/a.png')
    const { intents } = typeKeys(ui, idle, 'backspace', 'no image', 'enter')
    expect(intents).toEqual([{ kind: 'send', message: { messageId: 'id-12000', text: 'no image', when: 'steer' } }])
  })

  test('gets a number where another image has its name', () => {
    const ui = attached(attached(openUi, '/tmp/a.png', '/tmp/b.png'), '/other/a.png')
    expect(ui.composing.composer.text).toBe('[image a.png] [image b.png][image a.png #2]')
    const again = attached(ui, '/tmp/a.png')
    expect(again.composing.composer.text).toBe('[image a.png] [image b.png][image a.png #2][image a.png]')
    expect(again.composing.images).toHaveLength(3)
  })

  test('is attached again when the message is recalled', () => {
    const sent = typeKeys(attached(openUi, '/tmp/a.png'), idle, 'enter')
    const recalled = changePart(sent.ui, 'composing', { composer: written('again [image a.png]') })
    expect(typeKeys(recalled, idle, 'enter').intents).toMatchObject([{ message: { images: ['/tmp/a.png'] } }])
  })

  test('keeps the caret at what was written since', () => {
    const step = pasted(openUi, '/tmp/a.png')
    const on = typeKeys(step.ui, idle, ' and').ui
    const ui = updateUi(on, { kind: 'imagesFound', pasted: '/tmp/a.png', paths: ['/tmp/a.png'] }, context).ui
    expect(typeKeys(ui, idle, '!').ui.composing.composer.text).toBe('[image a.png] and!')
  })

  test('stays text when it was changed meanwhile, in a command of the user and in a note', () => {
    const changed = typeKeys(pasted(openUi, '/tmp/a.png').ui, idle, 'backspace').ui
    const found = { kind: 'imagesFound', pasted: '/tmp/a.png', paths: ['/tmp/a.png'] } as const
    expect(updateUi(changed, found, context).ui.composing.composer.text).toBe('/tmp/a.pn')
    expect(pasted(changePart(openUi, 'composing', { composer: written('!rm ') }), '/tmp/a.png').intents).toEqual([])
    const note: UiState = changePart(openUi, 'composing', { purpose: { kind: 'note', approvalId: 'a1' } })
    expect(pasted(note, '/tmp/a.png').intents).toEqual([])
  })
})
