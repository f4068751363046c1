import { expect, test } from 'vitest'
import { placedPath } from '../../src/view/text/formats.ts'
import { after, command, completed, requested, started, turnStarted, userMessage } from './scenes/conversation.ts'
import { sceneOf, shown } from './scenes/scene.ts'

test('a folder of another machine is named with it, and is not taken for one of this home', () => {
  expect(placedPath('/home/ada/shop', undefined, '/home/ada')).toBe('~/shop')
  expect(placedPath('/home/ada/shop', 'box', '/home/ada')).toBe('box:/home/ada/shop')
})

test('the status line and the question say on which machine', () => {
  const asked = [
    turnStarted,
    completed(userMessage('go')),
    started(command('npm test')),
    requested({ environment: 'box' }),
  ]
  const { core, window } = after(...asked)
  const state = { core: { ...core, settings: { ...core.settings, environment: 'box' } }, window }
  const screen = shown(sceneOf(state))
  expect(screen).toContain('in box:/home/ada/shop · not sandboxed')
  expect(screen).toContain('· box:/home/ada/shop (main) · no sandbox')
})
