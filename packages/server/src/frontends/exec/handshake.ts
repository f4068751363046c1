import { handshakeErrors } from './exec-errors.ts'
import type { ExecSession } from './session.ts'

/** Where one connection stands. */
export interface Handshake {
  /** Throws unless both steps are done. */
  readonly session: ExecSession
  /** Null before `initialize`. */
  readonly opened: ExecSession | null
  assertNew(): void
  /** It takes a while: what confirms it may come before the answer. */
  begin(): void
  /** `begin` came to nothing; the client may try again. */
  refused(): void
  answered(session: ExecSession): void
  /** True when it came in its time; a further one says nothing new and does no harm. */
  confirmed(): boolean
}

export function createHandshake(): Handshake {
  let session: ExecSession | null = null
  let hasBegun = false
  let isConfirmed = false
  return {
    get session() {
      if (session === null) throw handshakeErrors.notInitialized()
      if (!isConfirmed) throw handshakeErrors.notConfirmed()
      return session
    },
    get opened() {
      return session
    },
    assertNew() {
      if (hasBegun) throw handshakeErrors.initializedTwice()
    },
    begin() {
      hasBegun = true
    },
    refused() {
      hasBegun = false
      isConfirmed = false
    },
    answered(opened) {
      hasBegun = true
      session = opened
    },
    confirmed() {
      isConfirmed = hasBegun
      return isConfirmed
    },
  }
}
