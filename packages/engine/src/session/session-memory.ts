import type { ModelCall } from '@parley/models'
import type { Grant } from '@parley/policy'
import {
  type Actor,
  type ApprovalDecision,
  type ApprovalId,
  type ItemId,
  isStricterSandbox,
  type SandboxMode,
} from '@parley/protocol'
import type { UserQuestion, UserReply } from '../tools/tool.ts'

/** Question of a running call that waits for an answer. */
export interface OpenQuestion extends Pick<UserQuestion, 'check'> {
  reply(reply: UserReply): void
}

interface Answer {
  readonly by: Actor
  readonly decision: ApprovalDecision
}

/** Memory of one conversation that is not in its log and ends with the process. Its parts change by its methods only. */
export interface SessionMemory {
  /** Returns the permissions given by `approvedForSession` that hold under a mode: none from a wider one. */
  grantsUnder(mode: SandboxMode): readonly Grant[]
  /** Keeps a permission with the mode under which it was given. */
  grant(grant: Grant, mode: SandboxMode): void
  /** Keeps the exact call of an item that holds a secret; the log holds it with marks. Forgets calls that are over. */
  keepCall(itemId: ItemId, call: ModelCall, isOpen: (itemId: ItemId) => boolean): void
  exactCall(itemId: ItemId): ModelCall | undefined
  /** Adds a question, which `approval/decide` answers while this process lives. */
  ask(approvalId: ApprovalId, question: OpenQuestion): void
  question(approvalId: ApprovalId): OpenQuestion | undefined
  /** Removes a question. Returns false when it was removed before. */
  endQuestion(approvalId: ApprovalId): boolean
  /** Remembers an answer, so that a client that answers later learns which answer was first. */
  answered(approvalId: ApprovalId, answer: Answer): void
  answerTo(approvalId: ApprovalId): Answer | undefined
  /** Returns true the first time it is called with a notice code. */
  isFirstNotice(code: string): boolean
}

const keptAnswers = 100

export function createSessionMemory(): SessionMemory {
  const grants: SessionGrant[] = []
  const secretCalls = new Map<ItemId, ModelCall>()
  const questions = new Map<ApprovalId, OpenQuestion>()
  const answers = new Map<ApprovalId, Answer>()
  const shown = new Set<string>()
  return {
    grantsUnder: (mode) => grantsUnder(mode, grants),
    grant: (grant, mode) => void grants.push({ grant, mode }),
    keepCall(itemId, call, isOpen) {
      for (const known of secretCalls.keys()) if (!isOpen(known)) secretCalls.delete(known)
      secretCalls.set(itemId, call)
    },
    exactCall: (itemId) => secretCalls.get(itemId),
    ask: (approvalId, question) => void questions.set(approvalId, question),
    question: (approvalId) => questions.get(approvalId),
    endQuestion: (approvalId) => questions.delete(approvalId),
    answered(approvalId, answer) {
      answers.set(approvalId, answer)
      const [oldest] = answers.keys()
      if (answers.size > keptAnswers && oldest !== undefined) answers.delete(oldest)
    },
    answerTo: (approvalId) => answers.get(approvalId),
    isFirstNotice(code) {
      const isFirst = !shown.has(code)
      shown.add(code)
      return isFirst
    },
  }
}

export interface SessionGrant {
  readonly grant: Grant
  readonly mode: SandboxMode
}

/** Returns the permissions that hold under a mode: a yes said under a wider one covers less than is asked now. */
export function grantsUnder(mode: SandboxMode, grants: readonly SessionGrant[]): readonly Grant[] {
  return grants.flatMap((given) => (isStricterSandbox(mode, given.mode) ? [] : [given.grant]))
}
