import type { ConversationState } from '@parley/client'
import { lineText } from '@parley/presentation/text/span'
import { layoutScreen } from '../../../src/view/layout-screen.ts'
import { liveRows } from '../../../src/view/live-zone.ts'
import { paintLine } from '../../../src/view/screen.ts'
import { ansiTheme } from '../../../src/view/text/theme.ts'
import { sceneOf } from '../../view/scenes/scene.ts'
import type { Asked } from './converse.ts'

const sizes = [
  { columns: 80, rows: 24 },
  { columns: 132, rows: 40 },
]

/** The live part of the screen while a question waits, as people read it and as it is written to a terminal. */
export interface ShownQuestion {
  readonly rows: readonly string[]
  readonly painted: string
}

export function shownQuestions(asked: readonly Asked[]): readonly ShownQuestion[] {
  if (asked.length === 0) throw new Error('nobody was asked, so nothing was shown')
  return asked.flatMap(({ state }) =>
    sizes.map((size) => {
      const live = liveRows(layoutScreen({ ...sceneOf(state), size }).screen.live)
      return { rows: live.map(lineText), painted: live.map((line) => paintLine(line, ansiTheme)).join('\n') }
    }),
  )
}

/** Returns a text without its blanks, and without the marks of rows that go on: it can be read wherever it is broken. */
export const unbroken = (text: string): string => text.replaceAll(/[\s↪]/g, '')

/** All that a conversation has on the screen at its end, as it is written to a terminal. */
export function paintedTalk(state: ConversationState): string {
  const { settled, live } = layoutScreen(sceneOf(state)).screen
  return [...settled.flatMap(({ lines }) => lines), ...liveRows(live)]
    .map((line) => paintLine(line, ansiTheme))
    .join('\n')
}
