import type { ClientAccess, Rights } from '@parley/protocol'
import type { Transport } from '@parley/rpc'
import { isRecord } from '@parley/text'

/** Rights that a page has proven. */
export interface Proven {
  /** Token for the page's next connection. */
  readonly token: string
  readonly access: ClientAccess
  /** Rights of its user or link; absent for the rights of the user that started the server. */
  readonly rights?: Rights
}

/** First message of a page: the code of a link that is good once, or a token. */
type Proof = { readonly code: string } | { readonly token: string }

/** Returns the access of a page with this proof; null for a wrong proof. */
export type Prove = (proof: Proof) => Proven | null | Promise<Proven | null>

/** Time limit for the first message of a page. */
const greetingMs = 10_000

/**
 * Reads the first message of a page, `{"code": …}` from its link or `{"token": …}` from its storage, and answers with
 * its token and access. Resolves to its rights; closes the connection and resolves to null where the proof is wrong.
 */
export async function greetPage(
  transport: Transport,
  { prove, offersSignIn }: { readonly prove: Prove; readonly offersSignIn: boolean },
): Promise<Proven | null> {
  const expired = setTimeout(() => void transport.close(), greetingMs)
  // The iterator of a transport is its own: the peer goes on where this stops.
  const first = await transport.incoming[Symbol.asyncIterator]().next()
  clearTimeout(expired)
  const proof = first.done === true || first.value.kind !== 'message' ? null : proofIn(first.value.value)
  const proven = proof === null ? null : await prove(proof)
  if (proven === null) {
    transport.send(JSON.stringify({ error: 'notAdmitted', ...(offersSignIn ? { signIn: true } : {}) }))
    await transport.close()
    return null
  }
  const { token, access } = proven
  transport.send(JSON.stringify({ token, access }))
  return proven
}

function proofIn(message: unknown): Proof | null {
  if (!isRecord(message)) return null
  const { code, token } = message
  if (typeof code === 'string') return { code }
  return typeof token === 'string' ? { token } : null
}
