import { type Composer, emptyComposer } from '@parley/presentation/composer/composer'
import { lineText } from '@parley/presentation/text/span'
import type { ConversationState } from '@parley/protocol'
import { initialUi, type UiPart, type UiState } from '../../../src/ui/state/ui-state.ts'
import { layoutScreen } from '../../../src/view/layout-screen.ts'
import { caretPosition, liveRows } from '../../../src/view/live-zone.ts'
import type { Scene } from '../../../src/view/scene.ts'
import type { Screen } from '../../../src/view/screen.ts'
import { emptyTranscript } from '../../../src/view/transcript/transcript.ts'
import { startedAt } from './conversation.ts'

export const openUi: UiState = {
  ...initialUi,
  lists: { ...initialUi.lists, partsAsked: { folder: '/home/ada/shop', atMs: Number.MAX_SAFE_INTEGER } },
  connection: {
    ...initialUi.connection,
    link: { kind: 'up', clientId: 'client-1', serverPid: 1 },
    ownClients: ['client-1'],
  },
  opened: {
    conversationId: 'c',
    shortId: '0a1b2c3d',
    readOnly: false,
    onlyWatches: false,
    attached: false,
    ephemeral: false,
  },
}

/** Members of the state that differ, and of each part the members that do. */
export type UiChanges = Partial<Omit<UiState, UiPart>> & { readonly [Part in UiPart]?: Partial<UiState[Part]> }

export function changedUi(ui: UiState, changes: UiChanges): UiState {
  return {
    ...ui,
    ...changes,
    look: { ...ui.look, ...changes.look },
    connection: { ...ui.connection, ...changes.connection },
    composing: { ...ui.composing, ...changes.composing },
    history: { ...ui.history, ...changes.history },
    lists: { ...ui.lists, ...changes.lists },
    outbox: { ...ui.outbox, ...changes.outbox },
    answering: { ...ui.answering, ...changes.answering },
    work: { ...ui.work, ...changes.work },
    storage: { ...ui.storage, ...changes.storage },
    keys: { ...ui.keys, ...changes.keys },
  }
}

export function written(text: string): Composer {
  return { ...emptyComposer, text, caret: text.length }
}

export function sceneOf(state: ConversationState | null, ui: UiChanges = {}): Scene {
  return {
    transcript: emptyTranscript,
    state,
    ui: changedUi(openUi, ui),
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
