import {
  type Approval,
  type ApprovalDecision,
  type ApprovalId,
  type ConversationState,
  type ModeName,
  offeredTo,
  type Person,
  unansweredApprovals,
} from '@parley/protocol'
import { planModes } from '@parley/protocol/question'

/** State that decides whether a key may answer: an approval must be whole on the screen, for long enough. */
export interface AnswerGuard {
  readonly approvalId: ApprovalId | null
  /** Time of the first frame with the approval, or with all of it if later. */
  readonly paintedAtMs: number
  /** True if everything a yes would allow has been on the screen. */
  readonly isSeen: boolean
  readonly lastKeyAtMs: number
}

export const unguarded: AnswerGuard = {
  approvalId: null,
  paintedAtMs: 0,
  isSeen: false,
  lastKeyAtMs: Number.NEGATIVE_INFINITY,
}

/** Time an approval must be on the screen before keys answer it. */
const readableAfterMs = 400

/** Pause after other keys before a letter answers, so that typing does not. */
const quietForMs = 150

/** Approval in a painted frame, and whether all of it has been shown. */
export interface Painted {
  readonly approvalId: ApprovalId | null
  readonly isSeen: boolean
}

/** Records a painted frame; an approval once shown whole stays so, even if a smaller window hides it. */
export function notePainted(guard: AnswerGuard, { approvalId, isSeen }: Painted, nowMs: number): AnswerGuard {
  if (guard.approvalId !== approvalId) return { ...guard, approvalId, paintedAtMs: nowMs, isSeen }
  return guard.isSeen || !isSeen ? guard : { ...guard, paintedAtMs: nowMs, isSeen }
}

/** Forgets the last painted frame, for another page about the same approval. */
export function forgetPainted(guard: AnswerGuard): AnswerGuard {
  return { ...guard, approvalId: null, isSeen: false }
}

/** Records the time of a key; called after the key was used. */
export function noteKey(guard: AnswerGuard, nowMs: number): AnswerGuard {
  return { ...guard, lastKeyAtMs: nowMs }
}

/** Returns true if the approval has been on the screen for long enough. */
export function isReadable(guard: AnswerGuard, approvalId: ApprovalId, nowMs: number): boolean {
  return guard.approvalId === approvalId && nowMs - guard.paintedAtMs >= readableAfterMs
}

/** Returns true if a letter now counts as an answer to the approval. */
export function mayAnswer(guard: AnswerGuard, approvalId: ApprovalId, nowMs: number): boolean {
  return isReadable(guard, approvalId, nowMs) && nowMs - guard.lastKeyAtMs >= quietForMs
}

/** Returns true if everything a yes would allow has been on the screen. */
export function isWhollySeen(guard: AnswerGuard, approvalId: ApprovalId): boolean {
  return guard.approvalId === approvalId && guard.isSeen
}

/** Key pressed at an approval with an empty composer: an answer, or the first letter of a message. */
export interface HeldKey {
  /** Text of the key; empty for Enter. */
  readonly text: string
  /** Text for the composer if more text follows: the key, after others rejected just before. */
  readonly written: string
  readonly atMs: number
  readonly approvalId: ApprovalId
  /** Reason why it is no answer; null while it is chosen and takes effect unless more text follows. */
  readonly refusal: Refusal | null
}

/**
 * Reason to reject a key. `tooEarly`: the approval was just shown. `readOnly`: the client only watches. `unseen`: a yes
 * before everything was shown. `noAnswer`: the key has no meaning here.
 */
export type Refusal = 'tooEarly' | 'readOnly' | 'unseen' | 'noAnswer'

/**
 * Delay before a chosen letter takes effect. Letters of a word are up to 250 ms apart, and a slow line may delay the
 * second letter by another 200 ms.
 */
export const takenAfterMs = 500

/** Returns the time at which the chosen letter takes effect, in ms since the epoch; null without a chosen letter. */
export function takenAtMs({ heldKey }: { readonly heldKey: HeldKey | null }): number | null {
  return heldKey === null || heldKey.refusal !== null ? null : heldKey.atMs + takenAfterMs
}

/** Returns true if text now continues the held key. */
export function isFresh({ atMs }: HeldKey, nowMs: number): boolean {
  return nowMs - atMs < takenAfterMs
}

/**
 * Answer to an approval. `yesForConversation` is the narrower yes until the conversation is left, `yesToAny` the wider
 * one beside it. `remember` shows the rule first and adds it when given again. `note` asks for a reason first;
 * `print` shows all of the approval, `why` its decision, and neither answers.
 */
export type KeyAnswer = 'yes' | 'yesForConversation' | 'yesToAny' | 'remember' | 'note' | 'stop' | 'print' | 'why'

/** Returns true for answers that allow the call. */
export function isYes(answer: KeyAnswer): boolean {
  return answer === 'yes' || answer === 'yesForConversation' || answer === 'yesToAny' || answer === 'remember'
}

/** Answer that a choice of the question gives. */
export type ChosenAnswer = Exclude<KeyAnswer, 'print' | 'why'>

export interface AnswerChoice {
  /** Letter that gives the answer, or the name of its key. */
  readonly key: string
  readonly answer: ChosenAnswer
}

/** Choices from yes to stop; each letter means the same in all questions. */
const choices: readonly AnswerChoice[] = [
  { key: 'y', answer: 'yes' },
  { key: 'a', answer: 'yesForConversation' },
  { key: 'e', answer: 'yesToAny' },
  { key: 'r', answer: 'remember' },
  { key: 'n', answer: 'note' },
  { key: 'Esc', answer: 'stop' },
]

const lookUps: Readonly<Record<string, KeyAnswer>> = { v: 'print', w: 'why' }

/** Modes that a yes to a plan begins to work in, from the narrower. */
const planned: Readonly<Partial<Record<KeyAnswer, ModeName>>> = { yes: 'ask', yesForConversation: 'edit' }

/** Returns the mode that an answer to a plan begins the work in; null for other answers and other questions. */
export function modeToWorkIn(approval: Approval, answer: KeyAnswer): ModeName | null {
  return planModes(approval).find(({ name }) => name === planned[answer])?.name ?? null
}

export function choicesFor(approval: Approval): readonly AnswerChoice[] {
  return choices.filter(({ answer }) => {
    if (approval.kind === 'plan' && isYes(answer)) return modeToWorkIn(approval, answer) !== null
    if (answer === 'yesForConversation') return offers(approval, 'approvedForSession')
    if (answer === 'yes') return offers(approval, 'approved')
    if (answer === 'yesToAny') return approval.forSession?.any !== undefined
    return answer !== 'remember' || (offers(approval, 'approvedAlways') && approval.always !== undefined)
  })
}

/** Answer as a request says it. */
interface Decided {
  readonly decision: ApprovalDecision
  readonly scope?: 'any'
}

const decided: Readonly<Record<'yes' | 'yesForConversation' | 'yesToAny' | 'stop', Decided>> = {
  yes: { decision: 'approved' },
  yesForConversation: { decision: 'approvedForSession' },
  yesToAny: { decision: 'approvedForSession', scope: 'any' },
  stop: { decision: 'abort' },
}

/** Returns how a request says an answer that needs nothing more. */
export function decisionFor(answer: keyof typeof decided): Decided {
  return decided[answer]
}

/** Returns the answer that a typed letter gives; null for other letters. */
export function answerForText(text: string, approval: Approval): KeyAnswer | null {
  if (Object.hasOwn(lookUps, text)) return lookUps[text] ?? null
  return choicesFor(approval).find(({ key }) => key === text)?.answer ?? null
}

export function offers({ decisions }: Approval, decision: ApprovalDecision): boolean {
  return decisions.includes(decision)
}

/** Returns pending approvals, oldest first, without the one this window has just answered. */
export function pendingApprovals(
  state: ConversationState | null,
  person: Person | undefined,
  answered: ApprovalId | null = null,
): readonly Approval[] {
  if (state === null) return []
  const waiting = unansweredApprovals(state.core).filter(({ id }) => id !== answered)
  return waiting.map((approval) => offeredTo(person, approval))
}

/** Returns true while a question of the conversation waits for an answer, of this client or another. */
export function isAsking({ core }: Pick<ConversationState, 'core'>): boolean {
  return unansweredApprovals(core).length > 0
}

/** Returns calls approved before a crash that did not start; they run only when the user continues. */
export function approvedNotStarted(state: ConversationState | null): readonly Approval[] {
  if (state?.core.turn?.parked !== true) return []
  return Object.values(state.core.approvals).filter(({ state: stage }) => stage === 'approved')
}
