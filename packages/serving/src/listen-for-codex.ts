import type { Listener, Transport } from '@parley/rpc'
import type { Address } from './flags.ts'
import { keepSocket } from './kept-socket.ts'
import { readOrMakeToken } from './token-file.ts'

export type Accepted = (transport: Transport) => void

interface ForCodexOptions {
  /** File of the token that each client of a websocket must bring. */
  readonly tokenFile: string
  readonly accept: Accepted
  /** Called with a sentence when a socket's file is gone and when it is back. */
  readonly report: (sentence: string) => void
}

/**
 * Listens for clients of Codex's app-server: by websocket, with the token that each must bring, or by a websocket on a
 * unix socket that only this user can open. Resolves with the address, and how to be admitted there, in `words` for
 * people. Rejects with `ListenError` or `UsageError`.
 */
export async function listenForCodex(
  address: Address,
  { tokenFile, accept, report }: ForCodexOptions,
): Promise<{ readonly listener: Pick<Listener, 'close'>; readonly words: string }> {
  // Loaded only when used, to keep the start short.
  const { listenWebSocket, listenWebSocketFile } = await import('@parley/rpc/websocket')
  if (address.kind === 'socket') {
    const listen = () => listenWebSocketFile({ file: address.path, path: '/rpc', onConnection: accept })
    const listener = keepSocket(await listen(), { listen, report })
    return { listener, words: `unix://${address.path}` }
  }
  const { host, port } = address
  const listener = await listenWebSocket({ host, port, token: readOrMakeToken(tokenFile), onConnection: accept })
  return { listener, words: `${listener.url} (token in ${tokenFile})` }
}
