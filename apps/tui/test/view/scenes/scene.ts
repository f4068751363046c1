import { type Composer, emptyComposer } from '@parley/presentation/composer/composer'
import { lineText } from '@parley/presentation/text/span'
import type { ConversationState } from '@parley/protocol'
import { initialUi, type UiState } from '../../../src/ui/state/ui-state.ts'
import { layoutScreen } from '../../../src/view/layout-screen.ts'
import { caretPosition, liveRows } from '../../../src/view/live-zone.ts'
import type { Scene } from '../../../src/view/scene.ts'
import type { Screen } from '../../../src/view/screen.ts'
import { emptyTranscript } from '../../../src/view/transcript/transcript.ts'
import { startedAt } from './conversation.ts'

export const openUi: UiState = {
  ...initialUi,
  // Its skills and commands were listed a moment ago.
  partsAsked: { folder: '/home/ada/shop', atMs: Number.MAX_SAFE_INTEGER },
  link: { kind: 'up', clientId: 'client-1', serverPid: 1 },
  ownClients: ['client-1'],
  opened: {
    conversationId: 'c',
    shortId: '0a1b2c3d',
    readOnly: false,
    onlyWatches: false,
    attached: false,
    ephemeral: false,
  },
}

export function written(text: string): Composer {
  return { ...emptyComposer, text, caret: text.length }
}

export function sceneOf(state: ConversationState | null, ui: Partial<UiState> = {}): Scene {
  return {
    transcript: emptyTranscript,
    state,
    ui: { ...openUi, ...ui },
    size: { columns: 80, rows: 32 },
    nowMs: startedAt + 12_000,
    homeFolder: '/home/ada',
    branch: 'main',
    colours: 'sixteen',
    utcOffsetMs: 0,
  }
}

/** The screen as text: what is settled, a rule, the live zone with the caret as `▏`. */
export function shown(scene: Scene): string {
  const { screen } = layoutScreen(scene)
  return [...settledRows(screen), '─'.repeat(scene.size.columns), ...liveTexts(screen)].join('\n')
}

export function settledRows({ settled }: Pick<Screen, 'settled'>): readonly string[] {
  return settled.flatMap(({ lines }) => lines.map((line) => lineText(line).trimEnd()))
}

/** ASCII before the caret is all these tests need, so that a cell is a code unit. */
function liveTexts({ live, caret: at }: Screen): readonly string[] {
  const caret = caretPosition(live, at)
  return liveRows(live).map((line, row) => {
    const text = lineText(line).trimEnd()
    if (caret?.row !== row) return text
    return `${text.slice(0, caret.column)}▏${text.slice(caret.column)}`
  })
}
