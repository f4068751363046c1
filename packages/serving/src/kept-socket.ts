import { lstatSync } from 'node:fs'
import type { Listener } from '@parley/rpc'
import { errorMessage } from '@parley/text'

interface KeptSocketOptions {
  /** Listens at the path that is right at the moment. */
  readonly listen: () => Promise<Listener>
  /** Called with each address after the first; absent where the address is a requested one, which stays. */
  readonly onMoved?: (address: string) => void
  /** Called with a sentence when the socket's file is gone and when it is back; a repeated one is left out. */
  readonly report: (sentence: string) => void
}

/** Socket with a file that other programs may remove. */
export interface KeptSocket {
  /** Path of the file; null while it is missing. */
  address(): string | null
  /** Stops listening; open connections stay open. Idempotent. */
  close(): Promise<void>
}

/** Cleaners of /tmp and the end of a login remove files of sockets, which tells the process that listens nothing. */
const lookEveryMs = 2_000

/**
 * Looks every 2 s whether the file of a socket is there, and listens anew where it is not. Takes ownership of the first
 * listener; null where it has yet to be made.
 */
export function keepSocket(first: Listener | null, { listen, onMoved, report }: KeptSocketOptions): KeptSocket {
  let listener = first
  let isClosed = false
  let said: string | null = null
  const say = (sentence: string) => {
    if (sentence !== said) report(sentence)
    said = sentence
  }
  const look = async () => {
    if (listener !== null && isThere(listener.address)) return
    // Closed before the next is made, because to close a listener removes the file at its path.
    await listener?.close()
    listener = null
    try {
      listener = await listen()
    } catch (error) {
      return say(`the file of a socket is gone and could not be made again: ${errorMessage(error)}`)
    }
    if (isClosed) return
    say(`the file of a socket was gone; this process listens at ${listener.address} now`)
    said = null
    onMoved?.(listener.address)
  }
  let looking: Promise<void> | null = null
  const timer = setInterval(() => {
    looking ??= look().finally(() => {
      looking = null
    })
  }, lookEveryMs).unref()
  return {
    address: () => listener?.address ?? null,
    async close() {
      isClosed = true
      clearInterval(timer)
      await looking
      await listener?.close()
    },
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // A folder that cannot be looked into says nothing about the file.
    return true
  }
}
