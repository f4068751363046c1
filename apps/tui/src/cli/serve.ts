import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Launch } from '../main.ts'
import { exitCodes } from './exit-codes.ts'

/** `parley server`: the server with our own stdin and stdout. */
export function serve({ program }: Launch, { record }: { record?: string }): Promise<number> {
  const server = join(dirname(fileURLToPath(program.moduleUrl)), 'server.mjs')
  const child = spawn(process.execPath, [server, ...(record === undefined ? [] : ['--record', record])], {
    stdio: 'inherit',
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((resolve) => {
    child.once('error', () => resolve(exitCodes.internal))
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? exitCodes.sigint : exitCodes.sigterm)))
  })
}
