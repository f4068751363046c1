import type { CommandEnd } from '@parley/host'
import type { CallOutput, Failure, ItemId } from '@parley/protocol'
import { exitWords, secondsText } from '@parley/text'
import { outputForModel, type ShownImage } from '../contract/command-output.ts'
import { type ToolOutcome, toldWhy } from '../contract/tool.ts'
import { lostHeading } from './process-end.ts'

interface KeptOutput {
  readonly output: CallOutput
  readonly image: ShownImage | null
  readonly itemId: ItemId
  /** Reason of the signal that stops the call, once aborted. */
  readonly stopped: unknown
  /** Variables that the command missed; null for nothing that shows. */
  readonly missed?: Failure | null
  /** Further hints for the model, each a sentence. */
  readonly hints?: readonly string[]
}

/** Returns the outcome of a command that has ended. */
export function outcomeOf(end: CommandEnd, kept: KeptOutput): ToolOutcome {
  const { output, image, itemId, stopped, missed = null } = kept
  if (end.spawnError?.subject === 'sandbox') return sandboxFailed(end.spawnError.message)
  const triedNetwork = end.triedNetwork === true ? { triedNetwork: true as const } : {}
  const signal = end.signal === null ? {} : { signal: end.signal }
  const images = image === null || image.stored === null ? {} : { images: [image.stored] }
  const fields = { exitCode: end.exitCode, output, ...signal, ...images }
  const heading = headingOf(end, stopped)
  const shown = image?.words ?? outputForModel(end, itemId)
  const leftovers =
    end.leftovers > 0
      ? '\n(What it left running was stopped. Use background: true for something that should go on.)'
      : ''
  const asides = [...(end.exchanged ?? []).map(({ text }) => text), ...hintsIn(kept)]
    .map((sentence) => `\n(${sentence})`)
    .join('')
  const modelText = `${heading}\n${shown}${leftovers}${asides}`
  if (end.reason === 'left') return { status: 'unknown', modelText, left: true }
  if (end.reason === 'interrupted' || end.reason === 'shutdown') return { status: 'interrupted', modelText, fields }
  if (end.reason === 'lost')
    return { status: 'unknown', modelText, fields, failure: { code: 'endUnknown', message: heading } }
  if (end.reason === 'exited' && end.exitCode === 0) return { status: 'completed', modelText, fields }
  // An exit code needs no failure beside it, except for missed variables.
  const failure = missed === null ? {} : { failure: missed }
  if (end.reason === 'exited') return { status: 'failed', modelText, fields, ...triedNetwork, ...failure }
  return { status: 'failed', modelText, fields, ...triedNetwork, failure: { code: end.reason, message: heading } }
}

function hintsIn({ missed = null, hints = [] }: KeptOutput): readonly string[] {
  return missed === null ? hints : [...hints, missed.message]
}

function headingOf(end: CommandEnd, stopped: unknown): string {
  const seconds = secondsText(end.durationMs)
  switch (end.reason) {
    case 'spawnFailed':
      return `could not start: ${end.spawnError?.message ?? 'unknown reason'}`
    case 'lost':
      return lostHeading(end) ?? ''
    case 'timedOut':
      return `stopped after ${seconds}: it ran into its time limit (give a larger timeout_ms, or background: true)`
    case 'interrupted': {
      const why = toldWhy(stopped)
      return why === null ? `interrupted by the user after ${seconds}` : `stopped after ${seconds}: ${why}`
    }
    case 'shutdown':
      return `stopped after ${seconds}: parley was closed`
    case 'left':
      return `runs on under another server after ${seconds}`
    case 'exited':
      return end.signal === null
        ? `${exitWords(end.exitCode)} after ${seconds}`
        : `killed by ${end.signal} after ${seconds}`
  }
}

/** Returns the outcome of a command that was not run, since its sandbox could not be set up. */
export function sandboxFailed(problem: string): ToolOutcome {
  const message = `the sandbox could not be set up: ${problem}`
  const failure = { code: 'sandboxFailed', message }
  return { status: 'failed', modelText: `Not run: ${message}`, notRun: true, failure, sandboxBroke: true }
}
