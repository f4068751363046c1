/** Something that accepts connections. */
export interface Listener extends AsyncDisposable {
  /** A socket's path, or `host:port`. */
  readonly address: string
  /** Stops listening. Open connections stay with their owners. Idempotent. */
  close(): Promise<void>
}

/** An address that cannot be listened on. The message is one sentence that says why. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}
