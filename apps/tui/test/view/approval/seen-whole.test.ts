import { lineText } from '@parley/presentation/text/span'
import type { Approval } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { newMenu } from '../../../src/ui/menu/menu.ts'
import type { UiState } from '../../../src/ui/state/ui-state.ts'
import { updateUi } from '../../../src/ui/update/update-ui.ts'
import { layoutScreen } from '../../../src/view/layout-screen.ts'
import { liveRows } from '../../../src/view/live-zone.ts'
import { contextAt, rest, typeAtOnce } from '../../ui/type-keys.ts'
import { after, command, requested, started, turnStarted } from '../scenes/conversation.ts'
import { openUi, sceneOf, settledRows } from '../scenes/scene.ts'

const sizes = { tiny: { columns: 20, rows: 5 }, low: { columns: 40, rows: 15 }, usual: { columns: 80, rows: 24 } }
type Size = keyof typeof sizes

const lines = (length: number) => Array.from({ length }, (_, index) => `echo step ${index + 1}`).join('\n')
const asked = (fields: Partial<Approval>) => after(turnStarted, started(command('x')), requested(fields))
const short = asked({ title: 'npm test', detail: 'npm test' })
const long = asked({ title: 'echo step 1', detail: lines(400) })
const diff = asked({
  kind: 'patch',
  title: 'Patch a.txt',
  detail: `--- a/a.txt\n+++ b/a.txt\n@@ -1,0 +1,400 @@\n${lines(400).replaceAll(/^/gm, '+')}\n`,
})
const variables = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`VARIABLE_${index}`, 'value']))
const withVariables = asked({ title: 'npm test', detail: 'npm test', env: variables })

/** The frame on a screen of this size, and the state of the screen once it is painted. */
function paint(ui: UiState, state: ReturnType<typeof asked>, size: Size, atMs: number) {
  const { screen } = layoutScreen({ ...sceneOf(state, ui), size: sizes[size] })
  const { approvalId, isSeen } = screen
  const painted = updateUi(ui, { kind: 'painted', approvalId, isSeen }, contextAt(state, atMs)).ui
  return { ui: painted, screen, rows: liveRows(screen.live).map(lineText) }
}

/** Returns the effect of `y` at a question that was painted a second ago. */
function yes(ui: UiState, state: ReturnType<typeof asked>, atMs: number) {
  return rest(typeAtOnce(ui, state, atMs + 1_000, 'y'), state, atMs + 2_000)
}

describe('a yes', () => {
  test.each<[string, ReturnType<typeof asked>, Size]>([
    ['a short command', short, 'tiny'],
    ['a command of 400 lines', long, 'usual'],
    ['a command of 400 lines', long, 'low'],
    ['a change of 400 lines', diff, 'usual'],
    ['60 variables', withVariables, 'low'],
  ])('to %s that does not fit the window counts only after v', (_what, state, size) => {
    const first = paint(openUi, state, size, 0)
    expect(first.rows.join(' ')).toMatch(/\bv (?:all|shows it|prints all)/)
    const refused = yes(first.ui, state, 0)
    expect(refused.intents).toEqual([])
    expect(paint(refused.ui, state, size, 3_000).rows.join(' ')).toMatch(/not all of this|v first, then yes/)

    const printing = rest(typeAtOnce(refused.ui, state, 10_000, 'v'), state, 11_000)
    const shown = paint(printing.ui, state, size, 11_000)
    expect(settledRows(shown.screen).join('\n')).toMatch(/echo step 400|npm test[\s\S]*in ~?\S*shop/)
    expect(settledRows(shown.screen).join('\n')).not.toMatch(/more lines/)
    expect(shown.rows.join(' ')).toMatch(/y {1,2}yes/)
    expect(yes(shown.ui, state, 11_000).intents).toEqual([{ kind: 'decide', approvalId: 'a1', decision: 'approved' }])
  })

  test.each<Size>(['low', 'usual'])('to a short command counts at once in a window that shows it (%s)', (size) => {
    const { ui, rows } = paint(openUi, short, size, 0)
    expect(rows.join(' ')).toContain('npm test')
    expect(yes(ui, short, 0).intents).toHaveLength(1)
  })

  test('counts where everything was seen before the window became small', () => {
    const { ui } = paint(paint(openUi, short, 'usual', 0).ui, short, 'tiny', 5_000)
    expect(yes(ui, short, 5_000).intents).toHaveLength(1)
  })

  test('does not count while a list lies over the question', () => {
    const menu = newMenu({ kind: 'resume', title: 'Resume', rows: [] }, 0)
    const { ui } = paint({ ...openUi, menu }, short, 'usual', 0)
    expect(yes({ ...ui, menu: null }, short, 0).intents).toEqual([])
  })
})

describe('a highlighted answer', () => {
  test('stays highlighted when Enter was rejected and v has printed the question', () => {
    const down = typeAtOnce(paint(openUi, long, 'usual', 0).ui, long, 1_000, 'down')
    const refused = paint(typeAtOnce(down.ui, long, 2_000, 'enter').ui, long, 'usual', 2_000)
    expect(refused.rows.join('\n')).toMatch(/▸y yes[\s\S]*not all of this [^\n]*press v, then\s+Enter again/)

    const printing = rest(typeAtOnce(refused.ui, long, 3_000, 'v'), long, 4_000)
    const printed = paint(printing.ui, long, 'usual', 4_000)
    expect(settledRows(printed.screen).join('\n')).toContain('echo step 400')
    expect(printed.rows.join('\n')).toContain('▸y yes')
    const tooEarly = typeAtOnce(printed.ui, long, 4_100, 'enter')
    expect(tooEarly.intents).toEqual([])
    expect(typeAtOnce(tooEarly.ui, long, 5_000, 'enter').intents).toMatchObject([{ decision: 'approved' }])
  })
})

describe('a window of 20 columns and 5 rows', () => {
  test('shows the beginning of the command, its limits and the keys, and a no counts', () => {
    const { ui, rows } = paint(openUi, long, 'tiny', 0)
    expect(rows).toEqual(['  echo step 1…', '  not sandboxed', '  v all · n no · Esc'])
    expect(rest(typeAtOnce(ui, long, 5_000, 'n'), long, 6_000).ui.composing.purpose.kind).toBe('note')
  })

  test('shows the answer that is chosen', () => {
    const { ui } = paint(openUi, short, 'tiny', 0)
    const down = typeAtOnce(ui, short, 5_000, 'down')
    expect(paint(down.ui, short, 'tiny', 5_000).rows[2]).toBe('  ▸y yes')
  })
})
