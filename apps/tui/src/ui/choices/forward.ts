import type { ConversationState } from '@parley/protocol'
import { stepTo, type UiContext, type UiStep } from '../actions.ts'
import { type MenuRow, newMenu, plainRow } from '../menu/menu.ts'
import { addNote, type UiState } from '../ui-state.ts'

const usage =
  '/forward PORT lets your browser reach a port of the sandbox, /forward stop PORT ends that, /forward lists such ports.'

/** Lists the forwarded ports, ends one, or asks whether another is to be forwarded. */
export function runForward(ui: UiState, argument: string, context: UiContext): UiStep {
  if (argument === '') return stepTo(addNote(ui, 'info', listed(context.state)))
  const [, stop, digits = ''] = /^(stop +)?(\d{1,5})$/.exec(argument) ?? []
  const port = Number(digits)
  if (port < 1 || port > 65_535) return stepTo(addNote(ui, 'info', usage))
  return stop === undefined ? askToForward(ui, port, context) : stepTo(ui, { kind: 'stopForward', port })
}

function listed(state: ConversationState | null): string {
  const { forwards = [] } = state?.core ?? {}
  if (forwards.length === 0) return `No port is forwarded. ${usage}`
  return forwards.map(({ port, url }) => `Port ${port} of the sandbox: ${url}`).join('\n')
}

const consequence = 'A page from there can send on what commands read: your browser has the network.'

function askToForward(ui: UiState, port: number, { nowMs }: UiContext): UiStep {
  const rows: readonly MenuRow[] = [
    // Chosen at first, so that an Enter too many opens nothing.
    { ...plainRow, key: 'nothing', text: 'no', detail: 'the sandbox stays closed' },
    {
      ...plainRow,
      key: String(port),
      text: 'yes',
      detail: 'until /forward stop, or the end of the conversation',
      warning: consequence,
    },
  ]
  return stepTo({
    ...ui,
    menu: newMenu({ kind: 'forward', title: `Let your browser reach port ${port} of the sandbox?`, rows }, nowMs),
  })
}

/** Takes the answer; a yes has the port as its key. */
export function takeForward(ui: UiState, key: string): UiStep {
  return key === 'nothing' ? stepTo(ui) : stepTo(ui, { kind: 'forward', port: Number(key) })
}
