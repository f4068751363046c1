import { type Engine, type EngineParts, sweepLeftovers } from '../engine/index.ts'
import { createConnections } from '../frontends/conversation/connections.ts'
import { listenInRunFolder } from '../serving/run-folder.ts'
import { sweepLater } from './conventions.ts'
import { stateFolder } from './home-folder.ts'

/** Opens a socket in the run folder, by which other processes join conversations that are open here. */
export async function joinRunFolder(
  engine: Engine,
  { env, home, files, host, writeLog }: EngineParts,
): Promise<() => Promise<void>> {
  const connections = createConnections({ engine, onChange: () => undefined })
  const listener = await listenInRunFolder({
    env,
    home,
    onConnection: (transport) => connections.accept(transport, 'socket'),
    onProblem: writeLog,
  })
  const socket = listener?.address ?? null
  engine.listensAt({ socket, others: [] })
  const sweepNow = sweepLater(writeLog, {
    host,
    notes: stateFolder(home),
    socket,
    sweepFolders: () => sweepLeftovers(files, home),
  })
  return async () => {
    await listener?.close()
    await connections.close()
    await sweepNow()
  }
}
