import { createRequire } from 'node:module'
import type { TerminalSize } from '../process.ts'
import { SpawnProblem } from '../spawn-failure.ts'
import { nativeFile } from './native-file.ts'

export interface Terminal {
  /** Our side and the process's side. Both would be inherited by any child. */
  readonly ours: number
  readonly its: number
  /** Of its side, in the file system. */
  readonly path: string
}

/**
 * What we use of node-pty: to open and to resize. Its own way to start a program marks no descriptor close-on-exec,
 * does not report a program that is not there, adds to the environment and knows no `argv[0]`.
 */
interface NativeTerminals {
  open(cols: number, rows: number): { readonly master: number; readonly slave: number; readonly pty: string }
  resize(fd: number, cols: number, rows: number): void
}

let loaded: NativeTerminals | undefined

/** Loaded with the first terminal: most servers never open one. */
function native(): NativeTerminals {
  loaded ??= loadNative()
  return loaded
}

function loadNative(): NativeTerminals {
  try {
    return createRequire(import.meta.url)(nativeFile('pty.node'))
  } catch (cause) {
    throw new SpawnProblem('ENOSYS', 'system', 'Terminals are not supported on this system', { cause })
  }
}

export function openTerminal({ rows, cols }: TerminalSize): Terminal {
  const terminals = native()
  try {
    const { master, slave, pty } = terminals.open(cols, rows)
    return { ours: master, its: slave, path: pty }
  } catch (cause) {
    throw new SpawnProblem('EAGAIN', 'system', 'No terminal can be opened', { cause })
  }
}

export function resizeTerminal(fd: number, { rows, cols }: TerminalSize): void {
  native().resize(fd, cols, rows)
}
