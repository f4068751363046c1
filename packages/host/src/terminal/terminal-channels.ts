import { closeSync } from 'node:fs'
import type { OnReadOpts } from 'node:net'
import { ReadStream } from 'node:tty'
import type { ChannelListener, Channels, ProcessInput } from '../channels.ts'
import type { DescriptorShield } from '../descriptor-shield.ts'
import { type OutputReader, readOutput } from '../output-reader.ts'
import type { TerminalSize } from '../process.ts'
import { writeInput } from '../process-input.ts'
import { openTerminal, resizeTerminal } from './open-terminal.ts'
import { takeTerminal } from './take-terminal.ts'

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
