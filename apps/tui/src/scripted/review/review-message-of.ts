import { readFileSync } from 'node:fs'
import type { ReadStream } from 'node:tty'
import type { Severity } from '@parley/protocol'
import { misused, ParleyError } from '../../cli/exit-codes.ts'
import { type ExecFlags, overridesOf } from '../../cli/flags.ts'
import { fromWorkingFolder, workingFolder } from '../../cli/folders.ts'
import { systemCause } from '../../cli/messages.ts'
import { reviewElsewhere, reviewOfChanges, reviewOfPatch } from '../../programs/review-message.ts'
import type { Span } from '../../view/review/review-span.ts'
import { decodeText, type Message, readAll } from '../message.ts'

/** Review that a command line asks for. */
export interface ReviewRequest {
  /** `patch`: file with a patch; `-` for stdin. */
  readonly of: Span | { readonly kind: 'patch'; readonly file: string }
  /** Words of the user on what matters; empty for nothing particular. */
  readonly focus: string
  /** Least severity that fails the run. */
  readonly failOn: Severity | 'never'
}

interface Surroundings {
  readonly flags: ExecFlags
  readonly stdin: Pick<ReadStream, 'isTTY'> & AsyncIterable<Buffer | string>
}

/** Returns the message that asks for a review; null where nothing differs. Throws a usage error. */
export async function reviewMessageOf(
  { of, focus }: ReviewRequest,
  { flags, stdin }: Surroundings,
): Promise<Message | null> {
  if (of.kind === 'patch') {
    const patch = of.file === '-' ? await pipedPatch(stdin) : patchIn(of.file)
    if (patch.trim() === '') throw misused('The patch is empty.')
    return reviewOfPatch(patch, focus)
  }
  const { cwd = workingFolder(), environment } = overridesOf(flags)
  if (environment !== undefined && environment !== 'local') return reviewElsewhere(of, focus)
  const asked = await reviewOfChanges(of, focus, { folder: cwd, env: process.env })
  if (asked.kind === 'problem') throw misused(asked.text)
  return asked.kind === 'nothing' ? null : asked.message
}

async function pipedPatch(stdin: Surroundings['stdin']): Promise<string> {
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

function patchText(bytes: Buffer): string {
  const text = decodeText(bytes)
  if (text === null) throw misused('The patch is not UTF-8 text.')
  return text
}
