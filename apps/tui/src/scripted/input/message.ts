import { readFileSync } from 'node:fs'
import { type InputItem, limits, type OutputSchema, type TurnChecks, type TurnPurpose } from '@parley/protocol'
import { isRecord } from '@parley/text'
import { misused, type ParleyError } from '../../cli/exit-codes.ts'
import { type ExecFlags, outputFormatOf } from '../../cli/flags.ts'
import { fromWorkingFolder } from '../../cli/folders.ts'
import { imageInput } from '../../cli/image-input.ts'
import type { Launch, Streams } from '../../cli/launch-server.ts'
import { systemCause } from '../../cli/messages.ts'

/** Message that starts a turn of a run, or goes into the turn that runs. */
export interface TurnMessage {
  readonly input: InputItem[]
  readonly outputSchema?: OutputSchema
  readonly when?: 'queue' | 'steer'
  readonly purpose?: TurnPurpose
  readonly checks?: TurnChecks
}

/** Returns the prompt, images and schema that the flags name. Paths are relative to the working folder. Throws a usage error. */
export function messageOf(prompt: string, { image = [], outputSchema, server, ...flags }: ExecFlags): TurnMessage {
  const images = image.map((path) => imageAt(path, server !== undefined))
  const message = { input: [{ type: 'text' as const, text: prompt }, ...images], ...checksOf(flags) }
  return outputSchema === undefined ? message : { ...message, outputSchema: readSchema(outputSchema) }
}

const defaultRounds = 3
const mostChecks = 10
const mostRounds = 100

/** Returns the checks that the flags name. Throws a usage error for too many, and for rounds without a check. */
function checksOf({ check, checkRounds }: Pick<ExecFlags, 'check' | 'checkRounds'>): Pick<TurnMessage, 'checks'> {
  if (check === undefined && checkRounds !== undefined)
    throw misused('--check-rounds is for what --check finds: give a --check, too.')
  if (check === undefined) return {}
  if (check.length > mostChecks) throw misused(`At most ${mostChecks} checks are possible; join some with && in one.`)
  if ((checkRounds ?? 0) > mostRounds) throw misused(`--check-rounds is at most ${mostRounds}.`)
  return { checks: { commands: check, rounds: checkRounds ?? defaultRounds } }
}

function imageAt(path: string, isFar: boolean): InputItem {
  return path.startsWith('data:') ? { type: 'image', url: path } : imageInput(fromWorkingFolder(path), isFar)
}

/** Reads a JSON object; the server checks that it is a JSON Schema. */
function readSchema(path: string): OutputSchema {
  const value = parse(path, read(path))
  if (isRecord(value)) return value
  throw unusable(path, 'a JSON Schema of an answer is an object')
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw unusable(path, systemCause(error))
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw unusable(path, systemCause(error))
  }
}

function unusable(path: string, problem: string): ParleyError {
  return misused(`The output schema ${path} cannot be used: ${problem}.`)
}

type PromptOutcome = { readonly prompt: string } | { readonly problem: string }

interface PromptSources {
  readonly argument: string | null
  /** `--stdin`: with an argument, stdin is read only then. */
  readonly appendStdin: boolean
  /** Called only to read stdin: touching it stops a background job. */
  readonly stdin: () => Streams['stdin']
}

/** Longest prompt: half of the longest message, because JSON escapes quotes and line ends in it. */
const longestBytes = limits.message / 2
const tooLong = 'The prompt is longer than 8 MiB. Save it as a file, and tell the model its name.'
const noPrompt =
  'No prompt. Give one as an argument, or pipe it in: echo "…" | parley exec. What follows -p is the name of a profile'

/**
 * Reads the prompt of a scripted run. With an argument stdin is not touched, so that an open, silent stdin never blocks;
 * `-` or no argument reads stdin, unless it is a terminal.
 */
export async function readPrompt({ argument, appendStdin, stdin }: PromptSources): Promise<PromptOutcome> {
  const words = argument === null || argument === '-' ? null : argument
  if (words !== null && !appendStdin) return nonEmpty(words)
  const source = stdin()
  if (source.isTTY) return { problem: words === null ? noPrompt : '--stdin needs something piped in.' }
  const bytes = await readAll(source)
  if (bytes === null) return { problem: tooLong }
  const piped = decodeText(bytes)
  if (piped === null) return { problem: 'What was piped in is not UTF-8 text.' }
  if (words === null) return nonEmpty(piped)
  return nonEmpty(piped.trim() === '' ? words : `${words}\n\n<stdin>\n${piped.trimEnd()}\n</stdin>`)
}

function nonEmpty(text: string): PromptOutcome {
  return text.trim() === '' ? { problem: 'The prompt is empty.' } : { prompt: text }
}

/** Reads all of stdin; null if it is too long. */
export async function readAll(stdin: AsyncIterable<Buffer | string>): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of stdin) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    sizeBytes += bytes.length
    if (sizeBytes > longestBytes) return null
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

/** Decodes UTF-8 without a byte order mark; null for other bytes. */
export function decodeText(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Returns the sender's name for the log. The Codex SDK passes its name in a variable. */
export function callerName(flags: ExecFlags, env: Launch['env']): string {
  const caller = outputFormatOf(flags) === 'codex' ? env['CODEX_INTERNAL_ORIGINATOR_OVERRIDE'] : undefined
  return flags.threadSource || caller || 'parley-exec'
}
