import { closeSync, constants, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { errorCode } from '@parley/text'
import { SpawnFailedError } from '../system/spawn-failure.ts'
import { type ChannelListener, type Channels, createChannelInput, type OutputStream } from './channels.ts'
import { closeFifo, type Fifo, type FifoPool } from './fifo-pool.ts'
import { type OutputReader, readFifo } from './output-reader.ts'

/**
 * Opens one FIFO for stdout and stderr, which keeps the order of writes; both arrive as `stdout`. `inputs` adds one for
 * stdin. Synchronous without `inputs` when the pool has a FIFO ready. Rejects with `SpawnFailedError`.
 */
export function openMergedChannels(outputs: FifoPool, inputs: FifoPool | null): Channels | Promise<Channels> {
  if (inputs !== null) return openFifos(outputs, inputs, false).catch(noPipe)
  const fifo = outputs.take()
  return fifo instanceof Promise ? fifo.then(mergedChannels, noPipe) : mergedChannels(fifo)
}

function noPipe(cause: unknown): never {
  throw new SpawnFailedError(errorCode(cause) ?? 'EIO', 'system', 'No pipe for the output can be made', { cause })
}

function mergedChannels(fifo: Fifo): Channels {
  return fifoChannels([{ stream: 'stdout', fifo }], null)
}

/** Opens a FIFO for each output, which keeps the streams apart and loses their order among each other. */
export function openSeparateChannels(outputs: FifoPool, inputs: FifoPool | null): Promise<Channels> {
  return openFifos(outputs, inputs, true)
}

async function openFifos(outputs: FifoPool, inputs: FifoPool | null, isSeparate: boolean): Promise<Channels> {
  const fifos: Fifo[] = []
  try {
    const stdout = await outputs.take()
    fifos.push(stdout)
    const stderr = isSeparate ? await outputs.take() : null
    if (stderr !== null) fifos.push(stderr)
    const stdin = (await inputs?.take()) ?? null
    if (stdin !== null) fifos.push(stdin)
    const output = { stream: 'stdout', fifo: stdout } as const
    return fifoChannels(stderr === null ? [output] : [output, { stream: 'stderr', fifo: stderr }], stdin)
  } catch (error) {
    fifos.forEach(closeFifo)
    throw error
  }
}

interface OutputFifo {
  readonly stream: OutputStream
  readonly fifo: Fifo
}

/** Connects a child by one or two outputs; the last one serves as stderr. */
function fifoChannels(outputs: readonly [OutputFifo, OutputFifo?], stdin: Fifo | null): Channels {
  const [stdout, stderr = stdout] = outputs
  const all = stderr === stdout ? [stdout] : [stdout, stderr]
  const readers: OutputReader[] = []
  const { input, lateReaders } = stdin === null ? { input: null, lateReaders: null } : openInput(stdin)
  return {
    fds: [stdin?.readFd ?? null, stdout.fifo.writeFd, stderr.fifo.writeFd],
    input,
    open({ onOutput, onEnd }: ChannelListener) {
      let openCount = all.length
      const ended = () => {
        openCount -= 1
        if (openCount === 0) onEnd()
      }
      for (const { stream, fifo } of all) {
        readers.push(readFifo(fifo.readFd, { onChunk: (chunk) => onOutput(stream, chunk), onEnd: ended }))
      }
    },
    closeChildSide() {
      if (stdin !== null) closeSync(stdin.readFd)
      for (const { fifo } of all) closeSync(fifo.writeFd)
    },
    pause() {
      for (const reader of readers) reader.pause()
    },
    resume() {
      for (const reader of readers) reader.resume()
    },
    resize: () => false,
    close() {
      if (readers.length === 0) for (const { fifo } of all) closeSync(fifo.readFd)
      for (const reader of readers) reader.close()
      lateReaders?.close()
      input?.close()
    },
  }
}

function openInput(stdin: Fifo) {
  const lateReaders = createLateReaders(stdin.readFd)
  const socket = new Socket({ fd: stdin.writeFd, readable: false, writable: true })
  socket.once('close', () => lateReaders.serve())
  return { input: createChannelInput(socket, true), lateReaders }
}

/** O_PATH of Linux: a descriptor that neither reads nor writes, so it does not count as a reader or writer. */
const onlyPath = 0o10000000
const firstMs = 20
const maxMs = 1000

/**
 * Gives the end of file to programs that open a FIFO by its name after its last writer has closed it, from `serve` on:
 * opens and closes the write end from time to time. Outside Linux, such programs wait.
 */
function createLateReaders(readFd: number): { serve(): void; close(): void } {
  if (process.platform !== 'linux') return { serve: () => undefined, close: () => undefined }
  // A nameless pipe would give the rest and the end: on a FIFO, `sleep 1; cat /dev/stdin` would wait for ever.
  const pipe = openSync(`/proc/self/fd/${readFd}`, onlyPath)
  let timer: NodeJS.Timeout | undefined
  let isOpen = true
  const serveAfter = (delayMs: number) => {
    const serve = () => {
      if (openAndClose(pipe)) serveAfter(Math.min(2 * delayMs, maxMs))
    }
    timer = setTimeout(serve, delayMs).unref()
  }
  return {
    serve() {
      if (isOpen && timer === undefined) serveAfter(firstMs)
    },
    close() {
      if (!isOpen) return
      isOpen = false
      clearTimeout(timer)
      closeSync(pipe)
    },
  }
}

/** Opens the write end for a moment. Returns false when no reader is left. */
function openAndClose(pipe: number): boolean {
  try {
    closeSync(openSync(`/proc/self/fd/${pipe}`, constants.O_WRONLY | constants.O_NONBLOCK))
    return true
  } catch {
    return false
  }
}
