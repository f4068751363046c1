import { spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { createMark, markVariable } from '../../system/marks.ts'
import { ownNode } from '../../system/programs.ts'

/** Process in a loopback that makes connections there. It hands each over and sees no data. */
export interface Dialer {
  /** False once it has ended. */
  readonly isOpen: boolean
  /** Resolves to a connection to the port. Rejects with an error that has the system's code. */
  dial(port: number): Promise<Socket>
  /** Ends the process; connections that it has handed over stay. */
  close(): void
}

// Paused, the socket is not read; bytes read here would be lost.
const script = `
const { connect } = require('node:net')
process.on('disconnect', () => process.exit())
const send = (message, socket) => process.send(message, socket, {}, () => {})
const dial = (id, port, [host, ...others]) => {
  const socket = connect({ host, port, allowHalfOpen: true, noDelay: true }).pause()
  const fail = ({ code = 'unknown' }) => (others.length > 0 ? dial(id, port, others) : send({ id, code }))
  socket.once('error', fail)
  socket.once('connect', () => {
    socket.off('error', fail).on('error', () => {})
    send({ id }, socket)
  })
}
process.on('message', ({ id, port }) => dial(id, port, ['127.0.0.1', '::1']))
`

const timeLimitMs = 10_000
/** Time without a connection after which the process, of 45 MB, is ended. */
const idleMs = 60_000

/** Starts the process. `entrance`: words that start a command in the loopback. It ends with this one, however that ends. */
export function openDialer(entrance: readonly string[]): Dialer {
  const [program = '', ...args] = [...entrance, ...ownNode, '-e', script]
  const child = spawn(program, args, {
    cwd: '/',
    env: { [markVariable]: createMark() },
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const waiting = new Map<number, Pick<PromiseWithResolvers<Socket>, 'resolve' | 'reject'>>()
  let lastId = 0
  let isOpen = true
  const end = () => {
    isOpen = false
    for (const { reject } of waiting.values()) reject(failed('ECONNABORTED'))
    waiting.clear()
  }
  child.once('error', end)
  child.once('exit', end)
  child.on('message', (message, socket) => {
    const { id, code } = answerOf(message)
    const asker = waiting.get(id)
    waiting.delete(id)
    if (!(socket instanceof Socket)) return asker?.reject(failed(code))
    // A later reader notices its end by itself.
    socket.on('error', () => undefined)
    if (asker === undefined) socket.destroy()
    else asker.resolve(Object.assign(socket, { allowHalfOpen: true }))
  })
  child.unref()
  child.channel?.unref()
  const close = () => {
    clearTimeout(idle)
    if (child.connected) child.disconnect()
    end()
  }
  const idle = setTimeout(close, idleMs).unref()
  return {
    get isOpen() {
      return isOpen
    },
    dial(port) {
      if (!isOpen) return Promise.reject(failed('ECONNABORTED'))
      idle.refresh()
      lastId += 1
      const id = lastId
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(id)
          reject(failed('ETIMEDOUT'))
        }, timeLimitMs)
        const settled = <Value>(settle: (value: Value) => void) => {
          return (value: Value) => {
            clearTimeout(timer)
            settle(value)
          }
        }
        waiting.set(id, { resolve: settled(resolve), reject: settled(reject) })
        child.send({ id, port }, (error) => {
          if (error !== null) waiting.get(id)?.reject(error)
          if (error !== null) waiting.delete(id)
        })
      })
    },
    close,
  }
}

function failed(code: string): Error {
  return Object.assign(new Error(`the connection failed: ${code}`), { code })
}

function answerOf(message: unknown): { readonly id: number; readonly code: string } {
  const fields = new Map<string, unknown>(
    typeof message === 'object' && message !== null ? Object.entries(message) : [],
  )
  const [id, code] = [fields.get('id'), fields.get('code')]
  return { id: typeof id === 'number' ? id : 0, code: typeof code === 'string' ? code : 'unknown' }
}
