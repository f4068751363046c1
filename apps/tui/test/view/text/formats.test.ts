import { formatAgo, formatBytes, formatDuration, placedPath } from '@parley/presentation/text/formats'
import { expect, test } from 'vitest'
import { after, command, completed, requested, started, turnStarted, userMessage } from '../scenes/conversation.ts'
import { sceneOf, shown } from '../scenes/scene.ts'

test.each([
  [0, '0 ms'],
  [999.4, '999 ms'],
  [999.6, '1.0 s'],
  [1_240, '1.2 s'],
  [9_949, '9.9 s'],
  [9_950, '10 s'],
  [59_499, '59 s'],
  [59_500, '1 min 00 s'],
  [185_000, '3 min 05 s'],
  [3_599_600, '1 h 00 min'],
  [7_620_000, '2 h 07 min'],
  [-5, '0 ms'],
])('%d ms is %s', (durationMs, expected) => {
  expect(formatDuration(durationMs)).toBe(expected)
})

test.each([
  [0, '0 B'],
  [1_023, '1023 B'],
  [1_024, '1.0 KB'],
  [1_536, '1.5 KB'],
  [24 * 1_024 ** 2, '24 MB'],
  [1_048_575, '1.0 MB'],
  [5 * 1_024 ** 5, '5120 TB'],
])('%d bytes are %s', (sizeBytes, expected) => {
  expect(formatBytes(sizeBytes)).toBe(expected)
})

test.each([
  [-10, 'now'],
  [59, 'now'],
  [60, '1 min ago'],
  [3_599, '59 min ago'],
  [3_600, '1 h ago'],
  [86_400, 'yesterday'],
  [2 * 86_400, '2 days ago'],
  [90 * 86_400, '3 months ago'],
  [800 * 86_400, '2 years ago'],
])('%d seconds ago is %s', (seconds, expected) => {
  expect(formatAgo(0, seconds * 1_000)).toBe(expected)
})

test('a folder on another machine is shown with its environment and never shortened to ~', () => {
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
  expect(screen).toContain('· box:shop ⎇ main · edit · no sandbox')
})
