import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { EnvironmentSettings } from '@parley/config'
import { readUnlocked } from '@parley/host'
import type { Transport } from '@parley/rpc'
import { EnvironmentUnreachableError, systemErrorReason } from '../files/errors.ts'
/** Makes a connection to the exec-server of one environment. Rejects with a sentence that says why there is none. */
export type Dial = (signal: AbortSignal) => Promise<Transport>

interface Around {
  /** `$PARLEY_HOME`, which a relative `token_file` lies in. */
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The token is read anew each time, so that it can be changed while conversations are open. */
export function dialTo({ url, token_file: file, token_env: variable }: EnvironmentSettings, around: Around): Dial {
  return async (signal) => {
    const token = variable === undefined ? tokenIn(file, around) : tokenOf(variable, around)
    // Loaded by those who need it only.
    const { connectWebSocket } = await import('@parley/rpc/websocket')
    return connectWebSocket({ url, signal, ...(token === null ? {} : { token }) })
  }
}

function tokenOf(variable: string, { env }: Around): string {
  const token = env[variable]?.trim() ?? ''
  if (token === '') throw new EnvironmentUnreachableError(`${variable}, which its token_env names, is not set`)
  return token
}

function tokenIn(file: string | undefined, { home, env }: Around): string | null {
  if (file === undefined) return null
  const path = file.startsWith('~/') ? join(env['HOME'] ?? homedir(), file.slice(2)) : resolve(home, file)
  try {
    const token = readUnlocked(path).trim()
    if (token !== '') return token
  } catch (error) {
    throw new EnvironmentUnreachableError(`its token_file ${path} cannot be read (${systemErrorReason(error)})`)
  }
  throw new EnvironmentUnreachableError(`its token_file ${path} is empty`)
}
