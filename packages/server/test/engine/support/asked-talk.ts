import type { ScriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { Answers, ParamsOf } from '@parley/protocol'
import type { Talk, TestPlace } from './test-server.ts'

type Decision = ParamsOf<'approval/decide'>['decision']

/** Conversation up to its first question; owns the place. */
export async function askedTalk<Place extends TestPlace>(
  place: Place,
  model: ScriptedModel,
  begin: (place: Place) => Promise<Talk>,
) {
  await using stack = new AsyncDisposableStack()
  stack.use(place)
  const talk = await begin(place)
  await talk.watched.send('go')
  const approval = await talk.watched.approval()
  const { conversationId } = talk.summary
  const answer = (decision: Decision, answers?: Answers, note?: string) => ({
    conversationId,
    approvalId: approval.id,
    decision,
    ...(answers === undefined ? {} : { answers }),
    ...(note === undefined ? {} : { note }),
  })
  const told = () => model.requests[1]?.entries.findLast(({ kind }) => kind === 'result')
  const owned = stack.move()
  return { ...talk, place, model, approval, answer, told, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
