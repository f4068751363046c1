import type { ClientAccess } from '@parley/protocol'
import type { Transport } from '@parley/rpc'
import { isRecord } from '@parley/text'
import type { Links } from './links.ts'

/** Time limit for the first message of a page. */
const greetingMs = 10_000

/**
 * Reads the first message of a page, `{"code": …}` from its link or `{"token": …}` from its storage, and answers with its
 * token and access. Resolves with the access; with null after closing the connection of anyone else.
 */
export async function greetPage(transport: Transport, links: Links): Promise<ClientAccess | null> {
  const expired = setTimeout(() => void transport.close(), greetingMs)
  // The iterator of a transport is its own: the peer goes on where this stops.
  const first = await transport.incoming[Symbol.asyncIterator]().next()
  clearTimeout(expired)
  const message = first.done === true || first.value.kind !== 'message' ? null : first.value.value
  const proven = proofOf(message, links)
  if (proven === null) {
    transport.send(JSON.stringify({ error: 'notAdmitted' }))
    await transport.close()
    return null
  }
  transport.send(JSON.stringify(proven))
  return proven.access
}

function proofOf(message: unknown, links: Links): { readonly token: string; readonly access: ClientAccess } | null {
  if (!isRecord(message)) return null
  const { code, token } = message
  if (typeof code === 'string') return links.exchange(code)
  if (typeof token !== 'string') return null
  const access = links.accessOf(token)
  return access === null ? null : { token, access }
}
