import { type ReviewTarget, reviewRequest } from '@parley/protocol'
import { codexError } from '../wire/codex-error.ts'
import { type CodexParams, codexParams } from '../wire/params.ts'
import { type AppMethod, method } from './method.ts'
import { startTurn } from './turns.ts'

/** Methods that ask the model for a review, in a turn of the thread. */
export const reviewMethods: Readonly<Record<string, AppMethod>> = {
  'review/start': method(codexParams.reviewStart, async (session, { threadId, target }, context) => {
    const { conversation } = await session.thread(threadId)
    if (conversation.state.core.turn !== null) throw codexError('a turn is running; a review is one of its own')
    const input = [{ type: 'text' as const, text: reviewRequest(targetOf(target)) }]
    const started = await startTurn(session, { threadId, input, purpose: 'review' }, context)
    return { ...started, reviewThreadId: threadId }
  }),
}

function targetOf(target: CodexParams<'reviewStart'>['target']): ReviewTarget {
  switch (target.type) {
    case 'uncommittedChanges':
      return { kind: 'workTree' }
    case 'baseBranch':
      return { kind: 'branch', base: target.branch }
    case 'commit':
      return { kind: 'commits', range: target.title == null ? target.sha : `${target.sha} (${target.title})` }
    case 'custom':
      return { kind: 'words', text: target.instructions }
  }
}
