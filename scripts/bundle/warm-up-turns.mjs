import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { distFolder, root } from './places.mjs'

const timeLimitMs = 10_000
const built = (name) => join(distFolder, `${name}.mjs`)

/** Runs a turn as a client of the server. Resolves to true if the turn ended. */
export async function runServer({ env, cwd }) {
  const stdio = ['pipe', 'pipe', 'ignore']
  const server = spawn(process.execPath, [built('server')], { env, cwd, stdio, timeout: timeLimitMs })
  const ended = new Promise((resolve) => server.once('close', resolve))
  const write = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const introduction = { protocolVersion: { min: 2, max: 2 }, clientInfo: { name: 'warm-up', version: '0' } }
  let hasEnded = false
  write({ id: 0, method: 'initialize', params: introduction })
  for await (const line of linesOf(server.stdout)) {
    const { id, result, params } = JSON.parse(line)
    if (id === 0) {
      write({ method: 'initialized' })
      write({ id: 1, method: 'conversation/create', params: { cwd } })
    } else if (id === 1) {
      const { conversationId } = result
      const input = [{ type: 'text', text: 'Go on' }]
      write({ id: 2, method: 'conversation/stream', params: { conversationId } })
      write({ id: 3, method: 'conversation/sendMessage', params: { conversationId, input } })
    } else if (params?.event?.type === 'turn.ended') {
      hasEnded = true
      server.stdin.end()
    }
  }
  await ended
  return hasEnded
}

/** Runs a turn without a terminal. Resolves to true if it succeeded. */
export function runScripted({ env, cwd }) {
  const argv = [built('parley'), 'exec', 'Go on']
  const program = spawn(process.execPath, argv, { env, cwd, stdio: 'ignore', timeout: timeLimitMs })
  return new Promise((resolve) => program.once('close', (code) => resolve(code === 0)))
}

/** Runs a turn in a window, and leaves it. Resolves to true if the program ended by itself. */
export function runInWindow({ env, cwd }) {
  const host = createRequire(join(root, 'packages/host/package.json'))
  const pty = host('@lydell/node-pty').spawn(process.execPath, [built('parley')], {
    ...{ name: 'xterm-256color', cols: 80, rows: 24, cwd },
    env: { ...env, TERM: 'xterm-256color', LANG: 'C.UTF-8' },
  })
  // Each row: the text that is awaited, and the keys that follow it.
  const steps = [
    ['Ask anything', 'Go on\r'],
    ['Done', '\x04'],
  ]
  let seen = ''
  pty.onData((text) => {
    for (const _ of text.matchAll(/\x1b\[6n/g)) pty.write('\x1b[1;1R')
    seen += text
    const [awaited, keys] = steps[0] ?? []
    if (awaited === undefined || !seen.includes(awaited)) return
    steps.shift()
    seen = ''
    pty.write(keys)
  })
  const timer = setTimeout(() => pty.kill('SIGKILL'), timeLimitMs)
  return new Promise((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      clearTimeout(timer)
      resolve(exitCode === 0 && !signal && steps.length === 0)
    })
  })
}

async function* linesOf(stream) {
  let rest = ''
  for await (const chunk of stream.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    yield* lines
  }
}
