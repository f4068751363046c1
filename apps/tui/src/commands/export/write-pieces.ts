import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { errorCode } from '@parley/text'
import { exitCodeOf, ParleyError } from '../../cli/exit-codes.ts'
import { systemCause } from '../../cli/messages.ts'
import { brokenOutputText } from '../../cli/run-ended.ts'

/** Prints pieces of text as fast as the reader takes them. Rejects with `outputFailed` on a full disk. */
export async function printPieces(pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces)
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(piece, (error) => {
        if (error === null || error === undefined) resolve()
        // The program ends by itself when the reader of stdout has closed it.
        else if (errorCode(error) !== 'EPIPE')
          reject(new ParleyError('outputFailed', exitCodeOf('outputFailed'), brokenOutputText(error)))
      })
    })
}

/** Rights of a new file: only its user may read a conversation. */
const ownerOnly = 0o600

/** Writes a new file and returns its size; leaves no file on a failure. Throws `outputFailed`. */
export function writeNewFile(path: string, pieces: Iterable<string>): number {
  let isOurs = false
  try {
    const file = openSync(path, 'wx', ownerOnly)
    isOurs = true
    let sizeBytes = 0
    try {
      for (const piece of pieces) {
        writeFileSync(file, piece)
        sizeBytes += Buffer.byteLength(piece)
      }
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    return sizeBytes
  } catch (error) {
    if (isOurs) rmSync(path, { force: true })
    throw notWritten(path, error)
  }
}

function notWritten(place: string, error: unknown): ParleyError {
  return new ParleyError('outputFailed', exitCodeOf('outputFailed'), `${place} was not written: ${systemCause(error)}.`)
}
