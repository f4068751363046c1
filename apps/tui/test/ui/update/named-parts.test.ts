import { describe, expect, test } from 'vitest'
import { changePart } from '../../../src/ui/state/ui-state.ts'
import { updateUi } from '../../../src/ui/update/update-ui.ts'
import { after, completed, turnEnded, turnStarted, userMessage } from '../../view/scenes/conversation.ts'
import { openUi } from '../../view/scenes/scene.ts'
import { contextAt, typeKeys } from '../type-keys.ts'

const paste = { kind: 'paste', text: '/deploy now' } as const
const idle = after(completed(userMessage('first')), turnStarted, turnEnded())

describe('skills and commands', () => {
  test('of the user are asked for when one is begun, and sent as messages', () => {
    const begun = typeKeys(changePart(openUi, 'lists', { partsAsked: null }), idle, '/')
    expect(begun.intents).toEqual([{ kind: 'listParts', folder: '/home/ada/shop' }])
    const pasted = updateUi(
      changePart(openUi, 'lists', { partsAsked: null }),
      { kind: 'key', event: paste },
      contextAt(idle, 10),
    )
    expect(pasted.intents).toEqual(begun.intents)
    const about = { kind: 'skill', name: 'deploy', description: 'Ships it.', origin: 'user', path: '/s' } as const
    const known = { state: 'ready', forModel: true, forUser: true } as const
    const parts = [{ ...about, ...known, remarks: [], files: [] }]
    const { ui } = updateUi(openUi, { kind: 'partsListed', parts }, contextAt(idle, 10))
    const sent = (text: string) => typeKeys(ui, idle, text, 'enter').intents
    expect(sent('/deploy now')).toMatchObject([{ kind: 'send', message: { text: '/deploy now' } }])
    expect(sent('/dep')).toMatchObject([{ kind: 'send', message: { text: '/deploy' } }])
    expect(typeKeys(ui, idle, 'please $de', 'tab').ui.composing.composer.text).toBe('please $deploy ')
    expect(sent('/deploi')).toEqual([])
    const broken = changePart(ui, 'lists', {
      parts: parts.map((part) => ({ ...part, state: 'broken', problem: 'it is empty' })),
    })
    expect(JSON.stringify(typeKeys(broken, idle, '/deploy', 'enter').ui.notices.at(-1))).toContain(
      '/deploy cannot be used: it is empty',
    )
  })
})
