import type { ConversationEvent, ConversationState } from '@parley/protocol'

export const forwardUsage =
  '/forward PORT lets your browser reach a port of the sandbox, /forward stop PORT ends that, /forward lists such ports.'

/** Meaning of the words after /forward. */
export type ForwardRequest =
  | { readonly kind: 'list' | 'help' }
  | { readonly kind: 'ask' | 'stop'; readonly port: number }

export function readForward(argument: string): ForwardRequest {
  if (argument === '') return { kind: 'list' }
  const [, stop, digits = ''] = /^(stop +)?(\d{1,5})$/.exec(argument) ?? []
  const port = Number(digits)
  if (port < 1 || port > 65_535) return { kind: 'help' }
  return { kind: stop === undefined ? 'ask' : 'stop', port }
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

interface ForwardChoice {
  readonly key: string
  readonly text: string
  readonly detail: string
  /** Consequence that the user confirms; null for the harmless choice. */
  readonly warning: string | null
}

export function forwardQuestion(port: number): { readonly title: string; readonly choices: readonly ForwardChoice[] } {
  return {
    title: `Let your browser reach port ${port} of the sandbox?`,
    choices: [
      // Chosen at first, so that an Enter too many opens nothing.
      { key: 'nothing', text: 'no', detail: 'the sandbox stays closed', warning: null },
      {
        key: String(port),
        text: 'yes',
        detail: 'until /forward stop, or the end of the conversation',
        warning: consequence,
      },
    ],
  }
}
