import { forwardList, forwardQuestion, forwardUsage, readForward } from '@parley/presentation/commands/forward-words'
import { newMenu, plainRow } from '../menu/menu.ts'
import { stepTo, type UiContext, type UiStep } from '../state/actions.ts'
import { addNote, type UiState } from '../state/ui-state.ts'

/** Lists the forwarded ports, ends one, or asks whether another is to be forwarded. */
export function runForward(ui: UiState, argument: string, context: UiContext): UiStep {
  const asked = readForward(argument)
  switch (asked.kind) {
    case 'list':
    case 'help':
      return stepTo(addNote(ui, 'info', asked.kind === 'help' ? forwardUsage : forwardList(context.state)))
    case 'ask':
      return askToForward(ui, asked.port, context)
    case 'stop':
      return stepTo(ui, { kind: 'stopForward', port: asked.port })
  }
}

function askToForward(ui: UiState, port: number, { nowMs }: UiContext): UiStep {
  const { title, choices } = forwardQuestion(port)
  const rows = choices.map((choice) => ({ ...plainRow, ...choice }))
  return stepTo({ ...ui, menu: newMenu({ kind: 'forward', title, rows }, nowMs) })
}

/** Takes the answer; a yes has the port as its key. */
export function takeForward(ui: UiState, key: string): UiStep {
  return key === 'nothing' ? stepTo(ui) : stepTo(ui, { kind: 'forward', port: Number(key) })
}
