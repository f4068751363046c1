import type { Conversation } from '@parley/client'
import type { UiAction } from '../ui/actions.ts'
import { note, type RequestIntent } from './rejected-intent.ts'

type ForwardIntent = Extract<RequestIntent, { readonly port: number }>

/** Forwards a port or ends that, and says at which address. */
export async function forwardPort(
  { kind, port }: ForwardIntent,
  conversation: Pick<Conversation, 'request'>,
): Promise<UiAction> {
  if (kind === 'stopForward') {
    const { stopped } = await conversation.request('conversation/forward/stop', { port })
    return note('info', stopped ? `Port ${port} is no longer forwarded.` : `Port ${port} is not forwarded.`)
  }
  const { url } = await conversation.request('conversation/forward', { port })
  return note(
    'info',
    `Port ${port} of the sandbox is at ${url} on the machine of the server. /forward stop ${port} ends it.`,
  )
}
