import { closeSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { OnReadOpts } from 'node:net'
import { ReadStream } from 'node:tty'
import type { TerminalTaking } from '../run/launch.ts'
import type { TerminalSize } from '../run/process.ts'
import type { DescriptorShield } from '../system/descriptor-shield.ts'
import { findSetsid } from '../system/programs.ts'
import { SpawnProblem } from '../system/spawn-failure.ts'
import { type ChannelListener, type Channels, type ProcessInput, writeInput } from './channels.ts'
import { nativeFile } from './native-file.ts'
import { type OutputReader, readOutput } from './output-reader.ts'

export interface TerminalOptions {
  readonly size: TerminalSize
  readonly shield: DescriptorShield
}

/** One terminal for all three: what is typed and what is shown. */
export function openTerminalChannels({ size, shield }: TerminalOptions): Channels {
  const { ours, its, path } = openTerminal(size)
  shield.add(ours)
  shield.add(its)
  let reader: OutputReader | undefined
  let input: ProcessInput | null = null
  let isOpen = true
  const leave = () => {
    isOpen = false
    shield.remove(ours)
  }
  const connect = (onread: OnReadOpts) => {
    const stream = new ReadStream(ours, { onread })
    input = writeInput(stream, false)
    return stream
  }
  const close = () => {
    if (reader !== undefined) reader.close()
    else if (isOpen) closeSync(ours)
    leave()
  }
  return {
    fds: [its, its, its],
    terminal: takeTerminal(path),
    get input() {
      return input
    },
    open({ onOutput, onEnd }: ChannelListener) {
      const ended = () => {
        leave()
        onEnd()
      }
      reader = readOutput(connect, { onChunk: (chunk) => onOutput('pty', chunk), onEnd: ended })
    },
    closeItsSide() {
      closeSync(its)
      shield.remove(its)
    },
    pause: () => reader?.pause(),
    resume: () => reader?.resume(),
    resize(next) {
      if (isOpen) resizeTerminal(ours, next)
      return isOpen
    },
    close,
  }
}

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

/**
 * A session gets its terminal only from within. `setsid` does just that; where there is none, a shell that opens the
 * terminal does, at the price of variables whose names are none to a shell.
 */
export function takeTerminal(terminalPath: string): TerminalTaking {
  const setsid = findSetsid()
  return { prefix: setsid ?? ['/bin/sh', '-c', openAndRun, terminalPath], ownSession: setsid === null }
}

const openAndRun = 'exec 0<>"$0" 1>&0 2>&0 && exec "$@"'
