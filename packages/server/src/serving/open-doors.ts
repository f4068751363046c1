import { ListenError } from '@parley/rpc'
import type { Connections } from './connections.ts'
import { type Listening, listenOn } from './listen.ts'
import type { ServerArguments } from './read-arguments.ts'
import { listenInRunFolder } from './run-socket.ts'
import { UsageProblem } from './usage-problem.ts'

/** Where a server process can be reached besides its stdin. */
export interface Doors {
  /** The one by which the owner of a conversation is found; null where none could be made. */
  readonly socket: string | null
  /** Those that were asked for. */
  readonly others: readonly Listening[]
  close(): Promise<void>
}

interface DoorsOptions {
  readonly args: ServerArguments
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly connections: Connections
  readonly writeLog: (line: string) => void
}

/** A server without a socket of its own works; one that cannot listen where it was told to does not. */
export async function openDoors(options: DoorsOptions): Promise<Doors | { readonly problem: string }> {
  const { args, env, home, connections, writeLog } = options
  const own = await listenInRunFolder({
    env,
    home,
    onConnection: (transport) => connections.accept(transport, 'socket'),
    onProblem: writeLog,
  })
  const others: Listening[] = []
  const close = async () => {
    await Promise.all([own, ...others.map(({ listener }) => listener)].map((listener) => listener?.close()))
  }
  try {
    for (const address of args.listen) others.push(await listenOn(address, args, { connections, home }))
  } catch (error) {
    await close()
    if (error instanceof ListenError || error instanceof UsageProblem) return { problem: error.message }
    throw error
  }
  return { socket: own?.address ?? null, others, close }
}
