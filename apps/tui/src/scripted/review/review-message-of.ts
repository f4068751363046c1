import { readFileSync } from 'node:fs'
import type { ReviewedChanges } from '@parley/presentation/commands/review-words'
import type { Severity } from '@parley/protocol'
import { misused, ParleyError } from '../../cli/exit-codes.ts'
import { type ExecFlags, overridesOf } from '../../cli/flags.ts'
import { fromWorkingFolder, workingFolder } from '../../cli/folders.ts'
import type { Streams } from '../../cli/launch-server.ts'
import { systemCause } from '../../cli/messages.ts'
import {
  isPatch,
  type PreparedReview,
  reviewElsewhere,
  reviewOfChanges,
  reviewOfPatch,
} from '../../programs/review-message.ts'
import { readAll } from '../input/message.ts'

/** Review that a command line asks for. */
export interface ReviewRequest {
  /** `patch`: file with a patch; `-` for stdin. */
  readonly of: ReviewedChanges | { readonly kind: 'patch'; readonly file: string }
  /** Words of the user about important points; empty for a general review. */
  readonly focus: string
  /** Least severity that fails the run. */
  readonly failOn: Severity | 'never'
}

/** Returns the message that asks for a review; null where nothing differs. Throws a usage error. */
export async function reviewMessageOf(
  { of, focus }: ReviewRequest,
  { flags, stdin }: { readonly flags: ExecFlags; readonly stdin: Streams['stdin'] },
): Promise<PreparedReview | null> {
  const { cwd = workingFolder(), environment } = overridesOf(flags)
  const place = { folder: cwd, env: process.env }
  if (of.kind === 'patch') {
    const patch = of.file === '-' ? await pipedPatch(stdin) : patchIn(of.file)
    if (patch.trim() === '') throw misused('The patch is empty.')
    if (!isPatch(patch)) throw misused('This is no patch: it has no diff of any file.')
    return reviewOfPatch(patch, focus, place)
  }
  if (environment !== undefined && environment !== 'local') return reviewElsewhere(of, focus)
  const asked = await reviewOfChanges(of, focus, place)
  if (asked.kind === 'problem') throw misused(asked.text)
  return asked.kind === 'nothing' ? null : asked
}

async function pipedPatch(stdin: Streams['stdin']): Promise<string> {
  if (stdin.isTTY === true) throw misused('--patch - needs a patch piped in: git diff | parley exec review --patch -')
  const bytes = await readAll(stdin)
  if (bytes === null) throw misused('The patch is longer than 8 MiB. Split it.')
  return patchText(bytes)
}

function patchIn(file: string): string {
  try {
    return patchText(readFileSync(fromWorkingFolder(file)))
  } catch (error) {
    if (error instanceof ParleyError) throw error
    throw misused(`The patch ${file} cannot be read: ${systemCause(error)}.`)
  }
}

/** Decodes a patch. Its files may have any encoding: bytes that are not UTF-8 become U+FFFD, as in the diffs of git. */
function patchText(bytes: Buffer): string {
  // PowerShell writes the output of a program as UTF-16.
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}
