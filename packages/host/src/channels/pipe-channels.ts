import { closeSync } from 'node:fs'
import { Socket } from 'node:net'
import { type ChannelListener, type Channels, writeInput } from './channels.ts'
import { closeFifo, type Fifo, type FifoPool } from './fifo-pool.ts'
import { createLateOpeners } from './late-openers.ts'
import { type OutputReader, readFifo } from './output-reader.ts'

/** A pipe for each output. Their order among each other is lost, which is the price of telling them apart. */
export async function openPipeChannels(outputs: FifoPool, inputs: FifoPool | null): Promise<Channels> {
  const fifos: Fifo[] = []
  try {
    const stdout = await outputs.take()
    fifos.push(stdout)
    const stderr = await outputs.take()
    fifos.push(stderr)
    const stdin = (await inputs?.take()) ?? null
    return connect(stdout, stderr, stdin)
  } catch (error) {
    fifos.forEach(closeFifo)
    throw error
  }
}

function connect(stdout: Fifo, stderr: Fifo, stdin: Fifo | null): Channels {
  const readers: OutputReader[] = []
  const lateOpeners = stdin === null ? null : createLateOpeners(stdin.readFd)
  const socket = stdin === null ? null : new Socket({ fd: stdin.writeFd, readable: false, writable: true })
  socket?.once('close', () => lateOpeners?.serve())
  const input = socket === null ? null : writeInput(socket, true)
  const open = ({ onOutput, onEnd }: ChannelListener) => {
    let openCount = 2
    const ended = () => {
      openCount -= 1
      if (openCount === 0) onEnd()
    }
    readers.push(
      readFifo(stdout.readFd, { onChunk: (chunk) => onOutput('stdout', chunk), onEnd: ended }),
      readFifo(stderr.readFd, { onChunk: (chunk) => onOutput('stderr', chunk), onEnd: ended }),
    )
  }
  return {
    fds: [stdin?.readFd ?? null, stdout.writeFd, stderr.writeFd],
    input,
    open,
    closeItsSide() {
      for (const fd of [stdin?.readFd, stdout.writeFd, stderr.writeFd]) if (fd !== undefined) closeSync(fd)
    },
    pause() {
      for (const reader of readers) reader.pause()
    },
    resume() {
      for (const reader of readers) reader.resume()
    },
    resize: () => false,
    close() {
      if (readers.length === 0) for (const fd of [stdout.readFd, stderr.readFd]) closeSync(fd)
      for (const reader of readers) reader.close()
      lateOpeners?.close()
      input?.close()
    },
  }
}
