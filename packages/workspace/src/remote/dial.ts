import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { EnvironmentSettings } from '@parley/config'
import { readUnlocked } from '@parley/host'
import type { Transport } from '@parley/rpc'
import { EnvironmentUnreachableError, systemErrorReason } from '../files/errors.ts'
import { type ConnectedMachines, machineNamed } from './connected-machines.ts'

/** Connects to the exec-server of one environment. The message of a rejection completes a sentence: why there is no connection. */
export type Dial = (signal: AbortSignal) => Promise<Transport>

interface DialPorts {
  /** `$PARLEY_HOME`; a relative `token_file` is relative to it. */
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly machines: ConnectedMachines
  /** Users who own the conversations of the connection; empty for the operator's. */
  readonly users: readonly string[]
}

/** Returns the function that connects. Each call reads the token again, so that it can change while conversations are open. */
export function dialTo(settings: EnvironmentSettings, ports: DialPorts): Dial {
  const { url, token_file: file, token_env: variable } = settings
  if (url === undefined) return (signal) => ports.machines.take(machineNamed(settings.connected), ports.users, signal)
  return async (signal) => {
    const token = variable === undefined ? tokenIn(file, ports) : tokenOf(variable, ports)
    // Imported on demand: most servers have no environments, and the import costs start time.
    const { connectWebSocket } = await import('@parley/rpc/websocket')
    return connectWebSocket({ url, signal, ...(token === null ? {} : { token }) })
  }
}

function tokenOf(variable: string, { env }: Pick<DialPorts, 'env'>): string {
  const token = env[variable]?.trim() ?? ''
  if (token === '') throw new EnvironmentUnreachableError(`${variable}, which its token_env names, is not set`)
  return token
}

function tokenIn(file: string | undefined, { home, env }: Pick<DialPorts, 'home' | 'env'>): string | null {
  if (file === undefined) return null
  const path = tokenFilePath(file, { home, userHome: env['HOME'] ?? homedir() })
  try {
    const token = readUnlocked(path).trim()
    if (token !== '') return token
  } catch (error) {
    throw new EnvironmentUnreachableError(`its token_file ${path} cannot be read (${systemErrorReason(error)})`)
  }
  throw new EnvironmentUnreachableError(`its token_file ${path} is empty`)
}

/** Returns the path of a `token_file` as it is written in `$PARLEY_HOME`. */
export function tokenFilePath(file: string, { home, userHome }: { readonly home: string; readonly userHome: string }) {
  return file.startsWith('~/') ? join(userHome, file.slice(2)) : resolve(home, file)
}
