import { handshakeErrors } from './exec-errors.ts'
import type { ExecSession } from './session.ts'

/** Where one connection stands. */
export interface Handshake {
  /** Throws unless both steps are done. */
  readonly session: ExecSession
  /** Null before `initialize`. */
  readonly opened: ExecSession | null
  assertNew(): void
  answered(session: ExecSession): void
  /** True when it came in its time; a further one says nothing new and does no harm. */
  confirmed(): boolean
}

export function createHandshake(): Handshake {
  let session: ExecSession | null = null
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
      if (session !== null) throw handshakeErrors.initializedTwice()
    },
    answered(opened) {
      session = opened
    },
    confirmed() {
      isConfirmed = session !== null
      return isConfirmed
    },
  }
}
