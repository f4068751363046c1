import { lineText } from '@parley/presentation/text/span'
import { cellWidth } from '@parley/presentation/text/width'
import { expect, test } from 'vitest'
import { layoutScreen } from '../../src/view/layout-screen.ts'
import { liveRows } from '../../src/view/live-zone.ts'
import { after, answer, delta, started, turnStarted } from './scenes/conversation.ts'
import { sceneOf } from './scenes/scene.ts'

test.each([
  [40, 15],
  [80, 24],
  [120, 40],
])('a paragraph that streams at %ix%i still fits when the window becomes half as wide', (columns, rows) => {
  const words = Array.from({ length: 900 }, (_, n) => `word${n}`).join(' ')
  const state = after(turnStarted, started(answer('')), delta(answer('').id, words))
  const { screen } = layoutScreen({ ...sceneOf(state), size: { columns, rows } })
  const lines = liveRows(screen.live).map(lineText)
  const wrapped = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(cellWidth(line) / (columns / 2))), 0)
  expect(wrapped).toBeLessThanOrEqual(rows)
  expect(lines.join('\n')).toContain('word899')
})
