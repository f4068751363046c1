import type { ModelCall } from '@parley/models'
import type { Grant } from '@parley/policy'
import type { ApprovalId, ItemId } from '@parley/protocol'
import type { UserQuestion, UserReply } from '../../tools/tool.ts'

/** Memory of one conversation that is not in its log and ends with the process. */
export interface SessionMemory {
  /** Exact calls that hold a secret, by item id; the log holds them with marks. */
  readonly secretCalls: Map<ItemId, ModelCall>
  /** Permissions given by `approvedForSession`. */
  readonly grants: Grant[]
  /** Questions of running calls that wait for an answer. */
  readonly questions: OpenQuestions
  /** Returns true the first time it is called with a notice code. */
  isFirstNotice(code: string): boolean
}

/** Questions of running calls by approval id; `approval/decide` answers them while this process lives. */
interface OpenQuestions {
  readonly byApproval: Map<ApprovalId, OpenQuestion>
}

export interface OpenQuestion extends Pick<UserQuestion, 'check'> {
  reply(reply: UserReply): void
}

export function createSessionMemory(): SessionMemory {
  const shown = new Set<string>()
  return {
    secretCalls: new Map(),
    grants: [],
    questions: { byApproval: new Map() },
    isFirstNotice(code) {
      const isFirst = !shown.has(code)
      shown.add(code)
      return isFirst
    },
  }
}
