import { closeSync } from 'node:fs'
import { ReadStream } from 'node:tty'
import type { Channels } from '../channels.ts'
import type { DescriptorShield } from '../descriptor-shield.ts'
import { type OutputReader, readOutput } from '../output-reader.ts'
import type { TerminalSize } from '../process.ts'
import { writeInput } from '../process-input.ts'
import { openTerminal, resizeTerminal } from './open-terminal.ts'
import { takeTerminal } from './take-terminal.ts'

/** One terminal for all three: what is typed and what is shown. */
export function openTerminalChannels(size: TerminalSize, arg0: string | undefined, shield: DescriptorShield): Channels {
  const { ours, its, path } = openTerminal(size)
  shield.add(ours)
  shield.add(its)
  let open = true
  let reader: OutputReader | undefined
  let socket: ReadStream | undefined
  return connectTerminal()

  function connectTerminal(): Channels {
    throw new Error('unfinished')
  }
}
