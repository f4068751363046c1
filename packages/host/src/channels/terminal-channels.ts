import { closeSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { OnReadOpts } from 'node:net'
import { ReadStream } from 'node:tty'
import type { DescriptorShield } from '../system/descriptor-shield.ts'
import { findSetsid } from '../system/programs.ts'
import { SpawnFailedError } from '../system/spawn-failure.ts'
import {
  type ChannelInput,
  type ChannelListener,
  type Channels,
  type ControllingTerminal,
  createChannelInput,
  type TerminalSize,
} from './channels.ts'
import { nativeFile } from './native-file.ts'
import { type OutputReader, readOutput } from './output-reader.ts'

export interface TerminalOptions {
  readonly size: TerminalSize
  readonly shield: DescriptorShield
}

/** Opens one terminal for stdin, stdout and stderr. Throws `SpawnFailedError` on systems without terminals. */
export function openTerminalChannels({ size, shield }: TerminalOptions): Channels {
  const { parentFd, childFd, path } = openTerminal(size)
  shield.add(parentFd)
  shield.add(childFd)
  let reader: OutputReader | undefined
  let input: ChannelInput | null = null
  let isOpen = true
  const leave = () => {
    isOpen = false
    shield.remove(parentFd)
  }
  const connect = (onread: OnReadOpts) => {
    const stream = new ReadStream(parentFd, { onread })
    input = createChannelInput(stream, false)
    return stream
  }
  const close = () => {
    if (reader !== undefined) reader.close()
    else if (isOpen) closeSync(parentFd)
    leave()
  }
  return {
    fds: [childFd, childFd, childFd],
    terminal: controllingTerminal(path),
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
    closeChildSide() {
      closeSync(childFd)
      shield.remove(childFd)
    },
    pause: () => reader?.pause(),
    resume: () => reader?.resume(),
    resize(next) {
      if (isOpen) resizeTerminal(parentFd, next)
      return isOpen
    },
    close,
  }
}

/**
 * Returns how a child takes the terminal, which works only from within its session. Without `setsid` a shell opens the
 * terminal, and drops variables that have no valid name in a shell.
 */
function controllingTerminal(terminalPath: string): ControllingTerminal {
  const setsid = findSetsid()
  return { prefix: setsid ?? ['/bin/sh', '-c', openAndRun, terminalPath], ownSession: setsid === null }
}

const openAndRun = 'exec 0<>"$0" 1>&0 2>&0 && exec "$@"'

interface Terminal {
  /** Master side; any child would inherit it. */
  readonly parentFd: number
  /** Slave side; any child would inherit it. */
  readonly childFd: number
  /** Path of the slave side. */
  readonly path: string
}

function openTerminal({ rows, cols }: TerminalSize): Terminal {
  const terminals = native()
  try {
    const { master, slave, pty } = terminals.open(cols, rows)
    return { parentFd: master, childFd: slave, path: pty }
  } catch (cause) {
    throw new SpawnFailedError('EAGAIN', 'system', 'No terminal can be opened', { cause })
  }
}

function resizeTerminal(fd: number, { rows, cols }: TerminalSize): void {
  native().resize(fd, cols, rows)
}

/**
 * Native part of node-pty, used to open and to resize only. Its own `spawn` marks no descriptor close-on-exec, does not
 * report a missing program, adds to the environment and knows no `argv[0]`.
 */
interface NativeTerminals {
  open(cols: number, rows: number): { readonly master: number; readonly slave: number; readonly pty: string }
  resize(fd: number, cols: number, rows: number): void
}

let loaded: NativeTerminals | undefined

/** Loads the native part with the first terminal: most servers never open one. */
function native(): NativeTerminals {
  loaded ??= loadNative()
  return loaded
}

function loadNative(): NativeTerminals {
  try {
    return createRequire(import.meta.url)(nativeFile('pty.node'))
  } catch (cause) {
    throw new SpawnFailedError('ENOSYS', 'system', 'Terminals are not supported on this system', { cause })
  }
}
