import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  write,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { ExecFlags } from '../cli/flags.ts'
import { systemCause } from '../cli/messages.ts'

/**
 * The only writer of stdout in a scripted run. Writes go through the thread pool in order, so that a slow reader blocks
 * nothing else.
 */
export interface ResultStream {
  line(text: string): void
  /** Resolves to null when everything was read, or to the error that prevents it. */
  done(): Promise<NodeJS.ErrnoException | null>
  /** Resolves on the first write error: `EPIPE` when the reader has closed the pipe. Later lines are dropped. */
  readonly broken: Promise<NodeJS.ErrnoException>
}

/** Bytes per write. */
const pieceBytes = 64 * 1024
const retryMs = 5

export function openResultStream(descriptor: number): ResultStream {
  let queue: string[] = []
  let draining: Promise<void> | null = null
  let failure: NodeJS.ErrnoException | null = null
  const broken = Promise.withResolvers<NodeJS.ErrnoException>()

  async function drain(): Promise<void> {
    while (queue.length > 0 && failure === null) {
      const bytes = Buffer.from(queue.join(''))
      queue = []
      for (let at = 0; at < bytes.length && failure === null; )
        at += await writePiece(bytes.subarray(at, at + pieceBytes))
    }
    draining = null
  }

  async function writePiece(piece: Buffer): Promise<number> {
    const { error, written } = await tryWrite(descriptor, piece)
    if (error === null) return written
    if (error.code === 'EAGAIN') await new Promise((resolve) => setTimeout(resolve, retryMs))
    else {
      failure = error
      broken.resolve(error)
    }
    return 0
  }

  return {
    broken: broken.promise,
    line(text) {
      if (failure !== null) return
      queue.push(`${text}\n`)
      draining ??= Promise.resolve().then(drain)
    },
    async done() {
      while (draining !== null) await draining
      return failure
    },
  }
}

function tryWrite(
  descriptor: number,
  piece: Buffer,
): Promise<{ error: NodeJS.ErrnoException | null; written: number }> {
  return new Promise((resolve) => write(descriptor, piece, (error, written) => resolve({ error, written })))
}

/** Returns why a file named by a flag cannot be used, or null. Checked before the run, which costs money. */
export function fileProblem({ output, record, policy }: ExecFlags): string | null {
  return (
    (output === undefined
      ? null
      : attempt(`The answer cannot be written to ${output}`, () => assertWritable(output))) ??
    (record === undefined ? null : attempt(`Nothing can be recorded in ${record}`, () => openForAppending(record))) ??
    (policy === undefined || existsSync(policy) ? null : `The policy file ${policy} does not exist.`)
  )
}

/** Writes the answer atomically. Returns the failure as a sentence, or null. */
export function writeAnswer(path: string, text: string): string | null {
  return attempt(`The answer could not be written to ${path}`, () => replaceFile(realPath(path), text))
}

function replaceFile(path: string, text: string): void {
  const known = statSync(path, { throwIfNoEntry: false })
  // Devices and pipes cannot be replaced.
  if (known !== undefined && !known.isFile()) {
    writeFileSync(path, text)
    return
  }
  const temporary = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(temporary, text)
    if (known !== undefined) chmodSync(temporary, known.mode)
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

function assertWritable(path: string): void {
  const target = realPath(path)
  const known = statSync(target, { throwIfNoEntry: false })
  if (known?.isDirectory() === true) throw new Error('it is a folder')
  accessSync(known === undefined || known.isFile() ? dirname(target) : target, constants.W_OK)
}

function openForAppending(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
}

/** Resolves links, so that the target is replaced and not the link. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

function attempt(what: string, act: () => void): string | null {
  try {
    act()
    return null
  } catch (error) {
    return `${what}: ${systemCause(error)}.`
  }
}
