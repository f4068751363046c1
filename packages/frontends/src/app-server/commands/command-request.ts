import { resolve } from 'node:path'
import type { ClientCommand } from '@parley/engine'
import { profileOverrides } from '../shapes/permission-profiles.ts'
import { sandboxOverrides } from '../shapes/settings.ts'
import { codexError, codexInvalidParams } from '../wire/codex-error.ts'
import type { CodexParams } from '../wire/params.ts'

const defaultTimeoutMs = 10_000
const defaultCapBytes = 1024 * 1024
/** Bytes of each stream that an answer has at most: it is one line. Streamed output has no such bound. */
const maxBufferedBytes = 8 * 1024 * 1024
const defaultSize = { rows: 24, cols: 80 }

/** Request to run a command, checked and with its defaults. */
export interface CommandRequest {
  readonly command: Omit<ClientCommand, 'onOutput'>
  /** Name that the client gives the process; null for one that it cannot reach. */
  readonly processId: string | null
  readonly streamsOutput: boolean
  /** Bytes of each stream that the client gets; null for all. */
  readonly capBytes: number | null
  /** Time limit in ms; null without a limit. */
  readonly timeoutMs: number | null
}

/** Reads a request. Throws for what contradicts itself or is not there, with Codex's words and numbers. */
export function readCommandRequest(params: CodexParams<'commandExec'>): CommandRequest {
  assertConsistent(params)
  const { command: argv, processId, cwd, env, size, sandboxPolicy, timeoutMs, outputBytesCap } = params
  const hasTerminal = params.tty === true
  const streamsOutput = hasTerminal || params.streamStdoutStderr === true
  const mostBytes = streamsOutput ? null : maxBufferedBytes
  return {
    command: {
      argv,
      cwd: resolve(cwd ?? '.'),
      env: Object.fromEntries(Object.entries(env ?? {}).map(([name, value]) => [name, value ?? null])),
      terminal: hasTerminal ? readSize(size ?? defaultSize) : null,
      pipeStdin: params.streamStdin === true,
      overrides: { ...sandboxOverrides(sandboxPolicy), ...profileOverrides(params.permissionProfile, sandboxPolicy) },
    },
    processId: processId ?? null,
    streamsOutput,
    capBytes: params.disableOutputCap === true ? mostBytes : (outputBytesCap ?? defaultCapBytes),
    timeoutMs: params.disableTimeout === true ? null : (timeoutMs ?? defaultTimeoutMs),
  }
}

/** Returns the size of a terminal. Throws for one without rows or columns. */
export function readSize({ rows, cols }: CodexParams<'commandResize'>['size']): { rows: number; cols: number } {
  if (rows > 0 && cols > 0) return { rows, cols }
  throw codexInvalidParams('command/exec size rows and cols must be greater than 0')
}

function assertConsistent(params: CodexParams<'commandExec'>): void {
  const { command, processId, tty, size, timeoutMs, outputBytesCap } = params
  if (command.length === 0) throw codexError('command must not be empty')
  if (size != null && tty !== true) throw codexInvalidParams('command/exec size requires tty: true')
  if (params.disableOutputCap === true && outputBytesCap != null)
    throw codexInvalidParams('command/exec cannot set both outputBytesCap and disableOutputCap')
  if (params.disableTimeout === true && timeoutMs != null)
    throw codexInvalidParams('command/exec cannot set both timeoutMs and disableTimeout')
  if (timeoutMs != null && timeoutMs < 0)
    throw codexInvalidParams(`command/exec timeoutMs must be non-negative, got ${timeoutMs}`)
  const isReached = tty === true || params.streamStdin === true || params.streamStdoutStderr === true
  if (isReached && processId == null)
    throw codexError('command/exec tty or streaming requires a client-supplied processId')
}
