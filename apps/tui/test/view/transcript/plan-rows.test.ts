import { lineText } from '@parley/presentation/text/span'
import type { ConversationEvent, Plan } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { layoutScreen } from '../../../src/view/layout-screen.ts'
import { liveRows } from '../../../src/view/live-zone.ts'
import { planRow } from '../../../src/view/transcript/plan-rows.ts'
import { after, turnEnded, turnStarted } from '../scenes/conversation.ts'
import { sceneOf, settledRows } from '../scenes/scene.ts'

const plan = (done: number, steps = ['Find', 'Bound the cache', 'Run the tests']): Plan => ({
  steps: steps.map((step, index) => ({
    step,
    status: index < done ? 'completed' : index === done ? 'inProgress' : 'pending',
  })),
})
const updated = (done: number, steps?: string[]): ConversationEvent => ({
  type: 'plan.updated',
  plan: plan(done, steps),
})

describe('a plan', () => {
  test('is one row where it fits, else how many steps are done and the one at work', () => {
    const texts = [60, 40].map((columns) => lineText(planRow(plan(1), { columns })))
    expect(texts).toEqual(['✓ Find  ▸ Bound the cache  ○ Run the tests', '1 of 3 done  ▸ Bound the cache'])
  })

  test('is printed in one row a change, and stays in the live zone while its turn runs', () => {
    const first = layoutScreen(sceneOf(after(turnStarted, updated(0))))
    expect(settledRows(first.screen)).toEqual(['  ▸ Find  ○ Bound the cache  ○ Run the tests'])
    expect(liveRows(first.screen.live).map(lineText)).toContain('    ▸ Find  ○ Bound the cache  ○ Run the tests')
    const state = after(turnStarted, updated(0), updated(1), turnEnded())
    const next = layoutScreen({ ...sceneOf(state), transcript: first.transcript })
    expect(settledRows(next.screen)[0]).toBe('  ✓ Find  ▸ Bound the cache  ○ Run the tests')
    expect(liveRows(next.screen.live).map(lineText).join('\n')).not.toContain('▸ Bound')
  })

  test('is printed whole the first time if one row would cut its steps', () => {
    const steps = ['Look at every caller of the cache', 'Bound it by the number of tenants', 'Run all tests again']
    const { screen } = layoutScreen(sceneOf(after(turnStarted, updated(0, steps))))
    expect(settledRows(screen)).toEqual(['≡ Plan', `  ▸ ${steps[0]}`, `  ○ ${steps[1]}`, `  ○ ${steps[2]}`])
  })
})
