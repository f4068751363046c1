import { type ConversationState, type Envelope, initialState, reduce } from '@parley/protocol'
import { expect, it } from 'vitest'
import { richTalk } from '../support/rich-talk.ts'
import { testPlace } from '../support/test-server.ts'

const isCourtesy = ({ event }: Envelope) => event.type === 'item.delta' || event.type === 'item.progress'

it('a log without its deltas folds to the same state wherever no item is open', async () => {
  await using place = testPlace()
  const { watched } = await richTalk(place)
  const { conversationId } = watched
  const [, ...lines] = place.logLines(conversationId)
  let withDeltas: ConversationState = initialState(conversationId)
  let without = withDeltas
  let compared = 0
  for (const line of lines) {
    const envelope: Envelope = { conversationId, ...JSON.parse(line) }
    withDeltas = reduce(withDeltas, envelope)
    if (isCourtesy(envelope)) continue
    without = reduce(without, envelope)
    if (Object.keys(withDeltas.core.open).length > 0) continue
    expect(without).toEqual(withDeltas)
    compared++
  }
  expect(compared).toBeGreaterThan(20)
})
