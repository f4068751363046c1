import { lineText } from '@parley/presentation/text/span'
import { expect, test } from 'vitest'
import { layoutScreen } from '../../src/view/layout-screen.ts'
import { after, completed, turnStarted, userMessage } from './scenes/conversation.ts'
import { sceneOf } from './scenes/scene.ts'

test('nothing but the seconds moves where motion is reduced', () => {
  const scene = sceneOf(after(turnStarted, completed(userMessage('go'))), { look: { isStill: true } })
  const activityAt = (nowMs: number) => {
    const { screen } = layoutScreen({ ...scene, nowMs })
    return { text: lineText(screen.live.activity.at(-1) ?? []), changesAtMs: screen.changesAtMs }
  }
  const at = scene.nowMs
  expect(activityAt(at + 250)).toEqual(activityAt(at))
  expect(activityAt(at)).toEqual({ text: '  • Thinking  11 s · esc stops', changesAtMs: at + 1_000 })
})
