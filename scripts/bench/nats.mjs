import { spawn, spawnSync } from 'node:child_process'
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'
import { sleep } from './clock.mjs'

/** True where the program `nats-server` is installed. */
export const hasNats = spawnSync('nats-server', ['--version']).status === 0

/** Starts one server of a store on loopback, which keeps its files in a folder. */
export async function startNats(folder) {
  const port = await freePort()
  const args = ['--addr', '127.0.0.1', '--port', String(port), '--jetstream', '--store_dir', join(folder, 'nats')]
  const child = spawn('nats-server', args, { stdio: 'ignore' })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  while (!(await listens(port))) await sleep(20)
  return {
    url: `nats://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

function listens(port) {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1')
    const end = (isOpen) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}
