import { createSocket } from 'node:dgram'
import { createServer, type Server } from 'node:net'

/** Listeners that an attack may try to reach; each records its connections. */
export interface Recorders extends AsyncDisposable {
  readonly tcp: number
  readonly udp: number
  readonly contacts: readonly Contact[]
}

interface Contact {
  readonly kind: 'tcp' | 'udp' | 'unix' | 'abstract'
  readonly said: string
}

/** `unixPath`: where the unix socket listens. `abstractName` has no file, so no mount hides it. */
export async function startRecorders(unixPath: string, abstractName: string): Promise<Recorders> {
  const contacts: Contact[] = []
  const listener = (kind: Contact['kind']) => {
    const server = createServer((socket) => {
      const at = contacts.push({ kind, said: '' }) - 1
      socket.on('error', () => undefined)
      socket.setEncoding('utf8').on('data', (text) => {
        contacts[at] = { kind, said: `${contacts[at]?.said}${text}` }
      })
      socket.on('end', () => socket.destroy())
    })
    return server
  }
  const servers = [listener('tcp'), listener('unix'), listener('abstract')]
  const [tcp, unix, abstract] = servers
  const udp = createSocket('udp4', (message) => contacts.push({ kind: 'udp', said: String(message) }))
  await new Promise<void>((bound) => udp.bind(0, '127.0.0.1', bound))
  await Promise.all([
    listen(tcp, { port: 0, host: '127.0.0.1' }),
    listen(unix, { path: unixPath }),
    ...(process.platform === 'linux' ? [listen(abstract, { path: `\0${abstractName}` })] : []),
  ])
  return {
    tcp: portOf(tcp),
    udp: udp.address().port,
    contacts,
    async [Symbol.asyncDispose]() {
      udp.close()
      await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))))
    },
  }
}

function listen(server: Server | undefined, at: { port: number; host: string } | { path: string }): Promise<void> {
  return new Promise((resolve, reject) => server?.once('error', reject).listen(at, resolve))
}

function portOf(server: Server | undefined): number {
  const address = server?.address()
  if (typeof address !== 'object' || address === null) throw new Error('the recorder has no port')
  return address.port
}
