import type { Conversation } from '@parley/client'
import { type Envelope, type Finding, isAtLeast, type Severity } from '@parley/protocol'
import { exitCodes } from '../../cli/exit-codes.ts'
import type { ExecFlags } from '../../cli/flags.ts'
import { type RunEnd, withoutTurn } from '../../cli/run-ended.ts'
import type { Reporter } from '../reporter.ts'

/** End of a review without changes. */
export const nothingToReview: RunEnd = {
  exitCode: exitCodes.ok,
  conversationId: null,
  ...withoutTurn,
  findings: [],
}

interface Gathering {
  readonly reporter: Reporter
  /** Returns what the newest report of the model has; null before it has reported. */
  readonly findings: () => readonly Finding[] | null
}

/** Returns a reporter that keeps what the model reports. */
export function gatheringFindings(reporter: Reporter): Gathering {
  let found: readonly Finding[] | null = null
  return {
    findings: () => found,
    reporter: {
      ...reporter,
      event(envelope) {
        found = reportIn(envelope) ?? found
        reporter.event(envelope)
      },
    },
  }
}

function reportIn({ event }: Envelope): readonly Finding[] | null {
  if (event.type !== 'item.completed') return null
  const { item } = event
  return item.type === 'toolCall' && item.status === 'completed' ? (item.findings ?? null) : null
}

/** Returns the end of a review: 10 where something found is as grave as `failOn`, 1 where the model reported nothing at all. */
export function judged(end: RunEnd, findings: readonly Finding[] | null, failOn: Severity | 'never'): RunEnd {
  if (end.exitCode !== exitCodes.ok) return findings === null ? end : { ...end, findings }
  if (findings === null) {
    const message = 'The model ended its turn without a report of findings. Run it again, or choose another model.'
    return { ...end, exitCode: exitCodes.turnFailed, failure: { code: 'noFindings', message } }
  }
  const grave = failOn === 'never' ? [] : findings.filter(({ severity }) => isAtLeast(severity, failOn))
  if (grave.length === 0) return { ...end, findings }
  const message = `${grave.length === 1 ? '1 finding is' : `${grave.length} findings are`} ${failOn} or graver.`
  return { ...end, exitCode: exitCodes.findings, failure: { code: 'findings', message }, findings }
}

/** Line about a run that goes on with a review. */
export const reviewGoesOn =
  'The review that was not finished goes on: nothing is changed and nobody is asked. For an ordinary turn give --mode edit.'

/** Tells if the next message goes on with a review that did not end by itself; flags about limits ask for an ordinary turn. */
export function goesOnReview(
  { attached, state }: Pick<Conversation, 'attached' | 'state'>,
  { mode, sandbox, askForApproval }: ExecFlags,
): boolean {
  const { turn, lastTurn } = state.core
  const ended = lastTurn?.outcome === 'completed' ? undefined : lastTurn?.purpose
  const unfinished = turn === null ? ended : turn.purpose
  return unfinished === 'review' && !attached && (mode ?? sandbox ?? askForApproval) === undefined
}
