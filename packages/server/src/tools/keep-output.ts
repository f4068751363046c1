import type { CommandEnd } from '@parley/host'
import { StorageError } from '@parley/journal'
import type { ItemId, Output } from '@parley/protocol'
import type { ToolFiles } from './tool.ts'

/** Limit of output inside an item; more goes into a side file. */
export const inlineBytes = 8 * 1024
const shownHeadBytes = 4 * 1024
const shownTailBytes = 4 * 1024

/** Bounded output of a command. `head` may hold all of it when nothing was omitted. */
type KeptEnd = Pick<CommandEnd, 'totalBytes' | 'head' | 'tail' | 'omittedBytes' | 'spool'>

/** Stores a command's output for its item: whole when it is small, else both ends and a side file with all of it. */
export async function keepOutput(end: KeptEnd, sideFiles: ToolFiles): Promise<Output> {
  const { totalBytes, head, tail, omittedBytes } = end
  const known = Buffer.concat([head, tail])
  const binary = known.includes(0) ? { binary: true as const } : {}
  if (omittedBytes === 0 && totalBytes <= inlineBytes)
    return { head: known.toString(), tail: '', totalBytes, omittedBytes: 0, ...binary }
  const start = wholeCharacters(known.subarray(0, shownHeadBytes), 'start')
  const finish = wholeCharacters(known.subarray(-shownTailBytes), 'end')
  const file = await keepWhole(end, known, sideFiles)
  const shown = start.length + finish.length
  return {
    head: start.toString(),
    tail: finish.toString(),
    totalBytes,
    omittedBytes: totalBytes - shown,
    ...(file === null ? {} : { file }),
    ...binary,
  }
}

/** Stores the whole output. Resolves with null when the disk fails; the item still has both ends. */
async function keepWhole({ spool }: KeptEnd, known: Buffer, sideFiles: ToolFiles): Promise<string | null> {
  try {
    return spool === undefined ? await sideFiles.put(known) : await sideFiles.adopt(spool.path)
  } catch (error) {
    if (error instanceof StorageError) return null
    throw error
  }
}

/** Cuts incomplete UTF-8 characters off one end. */
function wholeCharacters(bytes: Buffer, keep: 'start' | 'end'): Buffer {
  const isContinuation = (at: number) => ((bytes[at] ?? 0) & 0xc0) === 0x80
  if (keep === 'end') {
    const from = [0, 1, 2, 3].find((at) => !isContinuation(at)) ?? 0
    return bytes.subarray(from)
  }
  const lead = [1, 2, 3, 4].map((back) => bytes.length - back).find((at) => !isContinuation(at)) ?? 0
  return (bytes[lead] ?? 0) >= 0xc0 ? bytes.subarray(0, lead) : bytes
}

/** Returns the name of the file that takes a running command's output, in the folder of side files. */
export function spoolName(itemId: ItemId): string {
  return `spool-${itemId}`
}
