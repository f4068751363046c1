import type { ApprovalId, ApprovalRequest, ItemId } from '@parley/protocol'
import type { Conversation } from '../conversation/conversation.ts'
import { parleyItself } from '../conversation/notices.ts'
import { unlessStorageFails } from '../conversation/storage-retry.ts'
import type { CallContext } from '../roles/roles.ts'
import type { UserQuestion, UserReply } from '../tools/contract/tool.ts'

/** Asks the user on behalf of one running call, one question after the other: a call has one approval at most. */
export interface UserAsker {
  /** Resolves to `cancelled` where nobody may be asked, and on abort. */
  ask(question: UserQuestion, signal: AbortSignal): Promise<UserReply>
  /** Withdraws open questions, once the call has ended. */
  stop(): void
}

const cancelled: UserReply = { kind: 'cancelled' }

export function createUserAsker(context: CallContext, itemId: ItemId): UserAsker {
  const ended = new AbortController()
  let last: Promise<unknown> = Promise.resolve()
  return {
    ask(question, signal) {
      const gone = AbortSignal.any([signal, ended.signal, context.signal])
      const asked = last.then(() => askNow(context, itemId, { question, gone }))
      last = asked.catch(() => undefined)
      return asked
    },
    stop: () => ended.abort(),
  }
}

interface WithdrawableQuestion {
  readonly question: UserQuestion
  /** Aborts when the call no longer waits for the answer. */
  readonly gone: AbortSignal
}

async function askNow(
  context: CallContext,
  itemId: ItemId,
  { question, gone }: WithdrawableQuestion,
): Promise<UserReply> {
  const { conversation } = context.record
  const { questions } = context.act.memory
  if (gone.aborted || !context.people.mayAsk()) return cancelled
  const approval = requestFor(context, itemId, question)
  const { promise, resolve } = Promise.withResolvers<UserReply>()
  // Registered before it is recorded: a client may answer in the same tick.
  questions.ask(approval.id, { check: question.check, reply: resolve })
  const withdraw = () => {
    if (questions.end(approval.id)) withdrawApproval(conversation, approval.id)
    resolve(cancelled)
  }
  try {
    conversation.record({ type: 'approval.requested', approval })
    gone.addEventListener('abort', withdraw, { once: true })
    const reply = await promise
    // The answer is on disk before the call goes on with it.
    if (reply.kind !== 'cancelled') await conversation.synced()
    return reply
  } finally {
    questions.end(approval.id)
    gone.removeEventListener('abort', withdraw)
  }
}

function requestFor(
  { record: { conversation, ids }, people }: CallContext,
  itemId: ItemId,
  question: UserQuestion,
): ApprovalRequest {
  const { title, detail, reason, rule, form, reaches } = question
  const { meta, turn } = conversation.state.core
  return {
    id: ids.approval(),
    itemId,
    turnId: turn?.id ?? '',
    kind: 'elicitation',
    title,
    detail,
    cwd: meta.cwd,
    sandbox: 'none',
    reason,
    rule,
    ...(reaches === undefined ? {} : { reaches }),
    decisions: ['approved', 'denied', 'abort'],
    answerableBy: [...people.answerers()],
    form,
  }
}

/** Withdraws a question. On a full disk that is left to the end of the call, which withdraws it as well. */
function withdrawApproval(conversation: Conversation, approvalId: ApprovalId): void {
  unlessStorageFails(() =>
    conversation.record({ type: 'approval.decided', approvalId, decision: 'withdrawn', by: parleyItself }),
  )
}
