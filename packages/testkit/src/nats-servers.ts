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
  /** Hosts and folders of the servers. Default: processes on loopback. */
  readonly places?: readonly NatsPlace[]
  /** Further lines of the configuration. */
  readonly config?: string
}

interface NatsPlace {
  /** Address that it listens on. */
  readonly host?: string
  /** Put before the program. */
  readonly launcher?: readonly string[]
  /** Folder of its storage. */
  readonly folder?: string
}

interface Node {
  readonly host: string
  readonly port: number
  readonly clusterPort: number
  readonly monitorPort: number
}

/** Starts servers and waits until all of them serve JetStream. */
export async function startNats({ servers = 1, places = [], config = '' }: NatsOptions = {}): Promise<NatsServers> {
  const directory = await tempDirectory()
  const ports = await freePorts(3 * servers)
  const nodes = Array.from({ length: servers }, (_, index): Node => {
    const [port = 0, clusterPort = 0, monitorPort = 0] = ports.slice(3 * index)
    return { host: places[index]?.host ?? '127.0.0.1', port, clusterPort, monitorPort }
  })
  const running: (ChildProcess | null)[] = nodes.map(() => null)
  const folder = (index: number) => places[index]?.folder ?? join(directory.path, `node-${index}`)

  function begin(index: number): void {
    const node = nodes[index]
    if (node === undefined) throw new Error(`there is no server ${index}`)
    const file = join(directory.path, `node-${index}.conf`)
    writeFileSync(file, `${configOf(node, { index, nodes, folder: folder(index) })}\n${config}\n`)
    const [program = '', ...args] = [...(places[index]?.launcher ?? []), 'nats-server', '-c', file]
    running[index] = spawn(program, args, { stdio: 'ignore' })
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
    addresses: nodes.map(({ host, port }) => `${host}:${port}`),
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

function configOf(
  { host, port, clusterPort, monitorPort }: Node,
  { index, nodes, folder }: { readonly index: number; readonly nodes: readonly Node[]; readonly folder: string },
): string {
  const own = [
    `server_name: node-${index}`,
    `listen: ${host}:${port}`,
    `http: ${host}:${monitorPort}`,
    `jetstream { store_dir: ${JSON.stringify(folder)} }`,
  ]
  if (nodes.length === 1) return own.join('\n')
  const routes = nodes.map((node) => `nats-route://${node.host}:${node.clusterPort}`).join(', ')
  return [...own, `cluster { name: test, listen: ${host}:${clusterPort}, routes: [${routes}] }`].join('\n')
}

async function isReady(node: Node | undefined): Promise<boolean> {
  if (node === undefined) return false
  const answer = await fetch(`http://${node.host}:${node.monitorPort}/healthz`)
  return answer.ok
}

/** Finds ports that nothing listens on, all held until the last is found. */
export async function freePorts(count: number): Promise<number[]> {
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
