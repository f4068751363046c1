import type { ConversationEvent, ConversationState } from '@parley/protocol'
import { stepTo, type UiContext, type UiStep } from '../actions.ts'
import { type MenuRow, newMenu, plainRow } from '../menu/menu.ts'
import { addNote, type UiState } from '../ui-state.ts'

export const forwardUsage =
  '/forward PORT lets your browser reach a port of the sandbox, /forward stop PORT ends that, /forward lists such ports.'

/** Meaning of the words after /forward. */
export type ForwardRequest =
  | { readonly kind: 'list' | 'help' }
  | { readonly kind: 'ask' | 'stop'; readonly port: number }

/** Reads the words after /forward. */
export function readForward(argument: string): ForwardRequest {
  if (argument === '') return { kind: 'list' }
  const [, stop, digits = ''] = /^(stop +)?(\d{1,5})$/.exec(argument) ?? []
  const port = Number(digits)
  if (port < 1 || port > 65_535) return { kind: 'help' }
  return { kind: stop === undefined ? 'ask' : 'stop', port }
}

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

/** Returns the forwarded ports with their addresses, for people. */
export function forwardList(state: ConversationState | null): string {
  const { forwards = [] } = state?.core ?? {}
  if (forwards.length === 0) return `No port is forwarded. ${forwardUsage}`
  return forwards.map(({ port, url }) => `Port ${port} of the sandbox: ${url}`).join('\n')
}

/** Returns what to say where a server has ended, and with it the ports that it forwarded; null for any other event. */
export function forwardsEndedWords(event: ConversationEvent): string | null {
  if (event.type !== 'forwards.changed' || event.by !== undefined || event.forwards.length > 0) return null
  return 'No port is forwarded any more: the server that did has ended. /forward PORT forwards one anew.'
}

const consequence = 'A page from there can send on what commands read: your browser has the network.'

/** Returns the question whether a port is to be forwarded, and its answers. */
export function forwardQuestion(port: number): { readonly title: string; readonly rows: readonly MenuRow[] } {
  return {
    title: `Let your browser reach port ${port} of the sandbox?`,
    rows: [
      // Chosen at first, so that an Enter too many opens nothing.
      { ...plainRow, key: 'nothing', text: 'no', detail: 'the sandbox stays closed' },
      {
        ...plainRow,
        key: String(port),
        text: 'yes',
        detail: 'until /forward stop, or the end of the conversation',
        warning: consequence,
      },
    ],
  }
}

function askToForward(ui: UiState, port: number, { nowMs }: UiContext): UiStep {
  return stepTo({ ...ui, menu: newMenu({ kind: 'forward', ...forwardQuestion(port) }, nowMs) })
}

/** Takes the answer; a yes has the port as its key. */
export function takeForward(ui: UiState, key: string): UiStep {
  return key === 'nothing' ? stepTo(ui) : stepTo(ui, { kind: 'forward', port: Number(key) })
}
