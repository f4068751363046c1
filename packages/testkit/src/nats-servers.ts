import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { tempDirectory } from './temp.ts'
import { waitUntil } from './wait-until.ts'

/** True where the program `nats-server` is installed. */
export const hasNats: boolean = spawnSync('nats-server', ['--version']).status === 0

/** NATS servers on loopback, each with its own storage; several form one cluster. */
export interface NatsServers extends AsyncDisposable {
  /** Addresses as `HOST:PORT`. */
  readonly addresses: readonly string[]
  /** Folder of the storage of a server. */
  folder(index: number): string
  kill(index: number): Promise<void>
  /** Sends a signal to a server, such as one that pauses it. */
  signal(index: number, signal: NodeJS.Signals): void
  /** Starts a server that was killed, with its storage as it is. */
  start(index: number): Promise<void>
}

export interface NatsOptions {
  readonly servers?: number
  /** Further lines of the configuration. */
  readonly config?: string
}

interface Node {
  readonly port: number
  readonly clusterPort: number
  readonly monitorPort: number
}

/** Starts servers and waits until all of them serve JetStream. */
export async function startNats({ servers = 1, config = '' }: NatsOptions = {}): Promise<NatsServers> {
  const directory = await tempDirectory()
  const ports = await freePorts(3 * servers)
  const nodes = Array.from({ length: servers }, (_, index): Node => {
    const [port = 0, clusterPort = 0, monitorPort = 0] = ports.slice(3 * index)
    return { port, clusterPort, monitorPort }
  })
  const running: (ChildProcess | null)[] = nodes.map(() => null)
  const folder = (index: number) => join(directory.path, `node-${index}`)

  function begin(index: number): void {
    const node = nodes[index]
    if (node === undefined) throw new Error(`there is no server ${index}`)
    const file = join(directory.path, `node-${index}.conf`)
    writeFileSync(file, `${configOf(node, { index, nodes, folder: folder(index) })}\n${config}\n`)
    running[index] = spawn('nats-server', ['-c', file], { stdio: 'ignore' })
  }

  const ready = (index: number) =>
    waitUntil(() => isReady(nodes[index]), { what: `nats-server ${index}`, timeoutMs: 30_000 })

  async function kill(index: number): Promise<void> {
    const child = running[index]
    running[index] = null
    if (child == null || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  for (const index of nodes.keys()) begin(index)
  for (const index of nodes.keys()) await ready(index)
  return {
    addresses: nodes.map(({ port }) => `127.0.0.1:${port}`),
    folder,
    kill,
    signal: (index, signal) => void running[index]?.kill(signal),
    async start(index) {
      begin(index)
      await ready(index)
    },
    async [Symbol.asyncDispose]() {
      for (const index of nodes.keys()) await kill(index)
      await directory[Symbol.asyncDispose]()
    },
  }
}

interface Place {
  readonly index: number
  readonly nodes: readonly Node[]
  readonly folder: string
}

function configOf({ port, clusterPort, monitorPort }: Node, { index, nodes, folder }: Place): string {
  const own = [
    `server_name: node-${index}`,
    `listen: 127.0.0.1:${port}`,
    `http: 127.0.0.1:${monitorPort}`,
    `jetstream { store_dir: ${JSON.stringify(folder)} }`,
  ]
  if (nodes.length === 1) return own.join('\n')
  const routes = nodes.map((node) => `nats-route://127.0.0.1:${node.clusterPort}`).join(', ')
  return [...own, `cluster { name: test, listen: 127.0.0.1:${clusterPort}, routes: [${routes}] }`].join('\n')
}

async function isReady(node: Node | undefined): Promise<boolean> {
  if (node === undefined) return false
  const answer = await fetch(`http://127.0.0.1:${node.monitorPort}/healthz`)
  return answer.ok
}

/** Finds ports that nothing listens on, all held until the last is found. */
async function freePorts(count: number): Promise<number[]> {
  const listeners = await Promise.all(
    Array.from({ length: count }, async () => {
      const listener = createServer().listen(0, '127.0.0.1')
      await once(listener, 'listening')
      return listener
    }),
  )
  const ports = listeners.map((listener) => {
    const address = listener.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  })
  await Promise.all(listeners.map((listener) => new Promise((resolve) => listener.close(resolve))))
  return ports
}
