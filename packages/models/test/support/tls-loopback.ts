import { readFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { loopbackCertificate } from '@parley/testkit'

/** Authority that signed the certificate of the server below, which is for `models.test` and loopback. */
export const testAuthority = loopbackCertificate.certFile

export interface Listening extends AsyncDisposable {
  readonly port: number
}

/** A real HTTPS server on loopback. */
export function startTls(listener: RequestListener): Promise<Listening> {
  const options = { key: readFileSync(loopbackCertificate.keyFile), cert: readFileSync(testAuthority) }
  return listening(createTlsServer(options, listener))
}

export interface Proxy extends Listening {
  /** Hosts that were asked for, with their logins. */
  readonly asked: readonly { readonly host: string; readonly login: string | undefined }[]
}

/** A real proxy that connects every host to one port of loopback; with a status it refuses. */
export async function startProxy(port: number, status?: number): Promise<Proxy> {
  const asked: { host: string; login: string | undefined }[] = []
  const server = createHttpServer()
  server.on('connect', (request, client: Socket) => {
    asked.push({ host: request.url ?? '', login: request.headers['proxy-authorization'] })
    client.on('error', () => {})
    if (status !== undefined) {
      client.end(`HTTP/1.1 ${status} No\r\n\r\n`)
      return
    }
    const target = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      target.pipe(client).pipe(target)
    })
    target.on('error', () => client.destroy())
  })
  return { ...(await listening(server)), asked }
}

async function listening(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
