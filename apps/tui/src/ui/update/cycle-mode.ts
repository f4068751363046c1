import { nextMode, pairOf } from '@parley/protocol'
import { noteReadOnly } from '../command-notes.ts'
import { settleMs } from '../keys/key-meaning.ts'
import { commandToWiden } from '../menu/wider-limits.ts'
import { maySend } from '../people/held-role.ts'
import { stepTo, type UiContext, type UiStep } from '../state/actions.ts'
import { addNote, type UiState } from '../state/ui-state.ts'

/**
 * Takes the next mode that the server was started for. Does nothing shortly after another client has changed the limits:
 * the key would lead elsewhere than its user saw.
 */
export function cycleMode(ui: UiState, { state, nowMs }: UiContext): UiStep {
  const { opened } = ui
  const { link } = ui.connection
  const { limitsChangedAtMs } = ui.keys
  if (state === null || opened === null || link.kind !== 'up') return stepTo(ui)
  if (!maySend(opened) || opened.onlyWatches) return stepTo(noteReadOnly(ui))
  if (nowMs - limitsChangedAtMs < settleMs) return stepTo(ui)
  const { ceiling } = opened
  const mode = nextMode(state.core.settings, ...(ceiling === undefined ? [] : [ceiling.sandbox]))
  if (mode === null) return stepTo(addNote(ui, 'info', `${noOther} ${commandToWiden(widest, state.core)}`))
  return stepTo(ui, { kind: 'configure', settings: pairOf(mode), isShown: true })
}

const noOther = 'This window was started for no other mode. Leave, then for the others:'
/** Narrowest sandbox under which there is every mode. */
const widest = { sandbox: 'workspace-write' } as const
