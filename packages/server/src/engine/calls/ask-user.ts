import type { ApprovalRequest } from '@parley/protocol'
import type { UserQuestion, UserReply } from '../../tools/tool.ts'
import { parleyItself } from '../conversation/notices.ts'
import { unlessStorageFails } from '../conversation/storage-patience.ts'
import type { TurnContext } from '../turn/turn-context.ts'

/** Asks for one call. A call has one approval at most, so its questions come one after the other. */
export interface UserAsker {
  ask(question: UserQuestion, signal: AbortSignal): Promise<UserReply>
  /** The call has ended: what it still asks is withdrawn. */
  stop(): void
}

const cancelled: UserReply = { kind: 'cancelled' }

export function createUserAsker(run: TurnContext, itemId: string): UserAsker {
  const ended = new AbortController()
  let last: Promise<unknown> = Promise.resolve()
  return {
    ask(question, signal) {
      const gone = AbortSignal.any([signal, ended.signal, run.signal])
      const asked = last.then(() => askNow(run, itemId, { question, gone }))
      last = asked.catch(() => undefined)
      return asked
    },
    stop: () => ended.abort(),
  }
}

interface Asked {
  readonly question: UserQuestion
  /** Nobody waits for the answer any more. */
  readonly gone: AbortSignal
}

async function askNow(run: TurnContext, itemId: string, { question, gone }: Asked): Promise<UserReply> {
  const { conversation, modules } = run
  if (gone.aborted || !modules.mayAsk()) return cancelled
  const approval = requestFor(run, itemId, question)
  const { byApproval } = modules.memory.questions
  const { promise, resolve } = Promise.withResolvers<UserReply>()
  // Before it is recorded: whoever sees it may answer in the same tick.
  byApproval.set(approval.id, { check: question.check, reply: resolve })
  const withdraw = () => {
    if (byApproval.delete(approval.id)) withdrawApproval(run, approval.id)
    resolve(cancelled)
  }
  try {
    conversation.record({ type: 'approval.requested', approval })
    gone.addEventListener('abort', withdraw, { once: true })
    const reply = await promise
    // An answer is not passed on before it is known to be kept.
    if (reply.kind !== 'cancelled') await conversation.synced()
    return reply
  } finally {
    byApproval.delete(approval.id)
    gone.removeEventListener('abort', withdraw)
  }
}

function requestFor({ conversation, modules }: TurnContext, itemId: string, question: UserQuestion): ApprovalRequest {
  const { title, detail, reason, rule, form } = question
  const { meta, turn } = conversation.state.core
  return {
    id: modules.ids.approval(),
    itemId,
    turnId: turn?.id ?? '',
    kind: 'elicitation',
    title,
    detail,
    cwd: meta.cwd,
    sandbox: 'none',
    reason,
    rule,
    decisions: ['approved', 'denied', 'abort'],
    answerableBy: [...modules.answerers()],
    form,
  }
}

/** Where the disk refuses, the end of the call takes the question with it. */
function withdrawApproval({ conversation }: TurnContext, approvalId: string): void {
  unlessStorageFails(() =>
    conversation.record({ type: 'approval.decided', approvalId, decision: 'withdrawn', by: parleyItself }),
  )
}
