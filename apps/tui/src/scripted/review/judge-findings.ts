import type { Conversation } from '@parley/client'
import { type Envelope, type Finding, isAtLeast, type Severity } from '@parley/protocol'
import { exitCodes } from '../../cli/exit-codes.ts'
import type { ExecFlags } from '../../cli/flags.ts'
import { type RunEnd, withoutTurn } from '../../cli/run-ended.ts'
import { notLookedAtWords, unseenWords } from '../../view/review/unseen-words.ts'
import type { Reporter } from '../reports/reporter.ts'

export const nothingToReview: RunEnd = {
  exitCode: exitCodes.ok,
  conversationId: null,
  ...withoutTurn,
  findings: [],
}

/** Reports the changed files that the model does not get whole, if there are any. */
export function reportUnseen(reporter: Reporter, unseen: readonly string[]): void {
  const words = unseenWords(unseen)
  if (words !== null) reporter.problem(words)
}

interface FindingsReporter {
  readonly reporter: Reporter
  /** Returns the findings of the model's newest report; null before its first report. */
  readonly findings: () => readonly Finding[] | null
  /** Returns the `unseen` files that no call of the model has named. */
  readonly notLookedAt: () => readonly string[]
}

/** Returns a reporter that keeps the findings of the model, and the `unseen` files that its calls have not named yet. */
export function createFindingsReporter(reporter: Reporter, unseen: readonly string[] = []): FindingsReporter {
  let found: readonly Finding[] | null = null
  let left = unseen
  return {
    findings: () => found,
    notLookedAt: () => left,
    reporter: {
      opened: reporter.opened,
      reviewing: reporter.reviewing,
      problem: reporter.problem,
      rejected: reporter.rejected,
      end: reporter.end,
      event(envelope) {
        found = reportIn(envelope) ?? found
        if (left.length > 0) left = withoutNamed(left, envelope)
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

/** Leaves out the files that a completed call names: the call has read them, or shown their diff. */
function withoutNamed(files: readonly string[], { event }: Envelope): readonly string[] {
  if (event.type !== 'item.completed') return files
  const { item } = event
  const isLook = item.type === 'commandExecution' || (item.type === 'toolCall' && item.findings === undefined)
  if (!isLook || item.status !== 'completed') return files
  const words = `${item.title}\n${item.text}`
  return files.filter((file) => !isNamed(words, file))
}

/** Tests if words contain a path by itself, and not as a part of another name. */
function isNamed(words: string, path: string): boolean {
  for (let at = words.indexOf(path); at >= 0; at = words.indexOf(path, at + 1)) {
    const [before, after] = [words.charAt(at - 1), words.charAt(at + path.length)]
    if (!(/[\w.-]/.test(before) || /[\w-]/.test(after))) return true
  }
  return false
}

/** Returns the end of a review: 10 for a finding as grave as `failOn`; 1 if the model reported nothing, or did not see all changes. */
export function judgedEnd(
  given: RunEnd,
  report: Omit<FindingsReporter, 'reporter'>,
  failOn: Severity | 'never',
): RunEnd {
  const findings = report.findings()
  const left = report.notLookedAt()
  const end = left.length === 0 ? given : { ...given, notLookedAt: left }
  if (end.exitCode !== exitCodes.ok) return findings === null ? end : { ...end, findings }
  if (findings === null) {
    const message = 'The model ended its turn without a report of findings. Run it again, or choose another model.'
    return { ...end, exitCode: exitCodes.turnFailed, failure: { code: 'noFindings', message } }
  }
  const grave = failOn === 'never' ? [] : findings.filter(({ severity }) => isAtLeast(severity, failOn))
  if (grave.length > 0) {
    const message = `${grave.length === 1 ? '1 finding is' : `${grave.length} findings are`} ${failOn} or graver.`
    return { ...end, exitCode: exitCodes.findings, failure: { code: 'findings', message }, findings }
  }
  if (left.length === 0 || failOn === 'never') return { ...end, findings }
  const failure = { code: 'reviewIncomplete', message: notLookedAtWords(left) }
  return { ...end, exitCode: exitCodes.turnFailed, failure, findings }
}

export const reviewContinues =
  'The review that was not finished goes on: nothing is changed and nobody is asked. For an ordinary turn give --mode edit.'

/** Returns true if the next message continues a review that was cut off; flags about limits ask for an ordinary turn. */
export function continuesReview(
  { attached, state }: Pick<Conversation, 'attached' | 'state'>,
  { mode, sandbox, askForApproval }: ExecFlags,
): boolean {
  const { turn, lastTurn } = state.core
  const ended = lastTurn?.outcome === 'completed' ? undefined : lastTurn?.purpose
  const unfinished = turn === null ? ended : turn.purpose
  return unfinished === 'review' && !attached && (mode ?? sandbox ?? askForApproval) === undefined
}
