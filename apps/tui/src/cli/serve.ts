import { spawn } from 'node:child_process'
import type { Launch } from '../main.ts'
import { exitCodes } from './exit-codes.ts'
import { serverCommand } from './launch-server.ts'

/** `parley server`: the server with our own stdin and stdout. */
export function serve({ program, home, env }: Launch, { record }: { record?: string }): Promise<number> {
  const [node, ...args] = serverCommand(program, record === undefined ? [] : ['--record', record])
  const child = spawn(node, args, { stdio: 'inherit', env: { ...env, PARLEY_HOME: home } })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((resolve) => {
    child.once('error', () => resolve(exitCodes.internal))
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? exitCodes.sigint : exitCodes.sigterm)))
  })
}
