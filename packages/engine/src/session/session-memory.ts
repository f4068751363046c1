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
import type { UserQuestion, UserReply } from '../tools/contract/tool.ts'

/** Question of a running call that waits for an answer. */
export interface OpenQuestion extends Pick<UserQuestion, 'check'> {
  reply(reply: UserReply): void
}

/** Answer to an approval, with its author. */
interface GivenAnswer {
  readonly by: Actor
  readonly decision: ApprovalDecision
}

/** Memory of one conversation that is not in its log and ends with the process. */
export interface SessionMemory {
  readonly grants: SessionGrants
  readonly exactCalls: ExactCalls
  readonly questions: OpenQuestions
  readonly foreground: ForegroundCalls
  /** Calls of an earlier server that an exec-server still runs and that are not followed yet, with their ages in ms. */
  readonly runningOn: Map<ItemId, number>
  /** Returns true the first time it is called with a notice code. */
  isFirstNotice(code: string): boolean
}

/** Permissions given by `approvedForSession`. */
interface SessionGrants {
  /** Returns the permissions that hold under a mode. Permissions of a wider mode do not. */
  under(mode: SandboxMode): readonly Grant[]
  /** Keeps a permission with the mode under which it was given. */
  give(grant: Grant, mode: SandboxMode): void
}

/** Exact calls that hold a secret; the log holds them with marks. */
interface ExactCalls {
  /** Keeps the call of an item, and forgets calls that are over. */
  keep(itemId: ItemId, call: ModelCall, isOpen: (itemId: ItemId) => boolean): void
  find(itemId: ItemId): ModelCall | undefined
}

/** Questions of running calls, and the newest answers to approvals. */
interface OpenQuestions {
  /** Adds a question, which `approval/decide` answers while this process lives. */
  ask(approvalId: ApprovalId, question: OpenQuestion): void
  find(approvalId: ApprovalId): OpenQuestion | undefined
  /** Removes a question. Returns false when it was removed before. */
  end(approvalId: ApprovalId): boolean
  /** Remembers an answer, so that a client that answers later learns which answer was first. */
  answered(approvalId: ApprovalId, answer: GivenAnswer): void
  answerTo(approvalId: ApprovalId): GivenAnswer | undefined
}

const keptAnswers = 100

export function createSessionMemory(runningOn: ReadonlyMap<ItemId, number>): SessionMemory {
  const shown = new Set<string>()
  return {
    grants: createSessionGrants(),
    exactCalls: createExactCalls(),
    questions: createOpenQuestions(),
    foreground: createForegroundCalls(),
    runningOn: new Map(runningOn),
    isFirstNotice(code) {
      const isFirst = !shown.has(code)
      shown.add(code)
      return isFirst
    },
  }
}

function createSessionGrants(): SessionGrants {
  const grants: SessionGrant[] = []
  return { under: (mode) => grantsUnder(mode, grants), give: (grant, mode) => void grants.push({ grant, mode }) }
}

function createExactCalls(): ExactCalls {
  const calls = new Map<ItemId, ModelCall>()
  return {
    keep(itemId, call, isOpen) {
      for (const known of calls.keys()) if (!isOpen(known)) calls.delete(known)
      calls.set(itemId, call)
    },
    find: (itemId) => calls.get(itemId),
  }
}

function createOpenQuestions(): OpenQuestions {
  const questions = new Map<ApprovalId, OpenQuestion>()
  const answers = new Map<ApprovalId, GivenAnswer>()
  return {
    ask: (approvalId, question) => void questions.set(approvalId, question),
    find: (approvalId) => questions.get(approvalId),
    end: (approvalId) => questions.delete(approvalId),
    answered(approvalId, answer) {
      answers.set(approvalId, answer)
      const [oldest] = answers.keys()
      if (answers.size > keptAnswers && oldest !== undefined) answers.delete(oldest)
    },
    answerTo: (approvalId) => answers.get(approvalId),
  }
}

export interface SessionGrant {
  readonly grant: Grant
  readonly mode: SandboxMode
}

/** Returns the permissions that hold under a mode: a yes under a wider one covers less than is asked now. */
export function grantsUnder(mode: SandboxMode, grants: readonly SessionGrant[]): readonly Grant[] {
  return grants.flatMap((given) => (isStricterSandbox(mode, given.mode) ? [] : [given.grant]))
}

/** Calls that run in the foreground of their turn, until they end or a user sends them to the background. */
interface ForegroundCalls {
  /** Adds a call; `sent` aborts when a user sends it to the background. */
  enter(itemId: ItemId): { readonly sent: AbortSignal; leave(): void }
  /** Sends a call to the background. Returns false for one that does not run here. */
  send(itemId: ItemId): boolean
}

function createForegroundCalls(): ForegroundCalls {
  const calls = new Map<ItemId, AbortController>()
  return {
    enter(itemId) {
      const call = new AbortController()
      calls.set(itemId, call)
      return { sent: call.signal, leave: () => void calls.delete(itemId) }
    },
    send(itemId) {
      const call = calls.get(itemId)
      call?.abort()
      return call !== undefined
    },
  }
}
