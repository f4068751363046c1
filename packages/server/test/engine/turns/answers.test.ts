import { describe, expect, it } from 'vitest'
import { scriptedModel } from '../support/scripted-model.ts'
import { testPlace } from '../support/test-server.ts'

describe('a turn with an answer only', () => {
  it('tells its whole story', async () => {
    await using place = testPlace()
    const { watched } = await place.talk({ model: scriptedModel({ text: ['Hel', 'lo'] }) })
    await watched.send('hi')
    await watched.turnEnded()
    expect(watched.story()).toMatchInlineSnapshot(`
      [
        "conversation.created",
        "turn.started message",
        "item.completed userMessage completed",
        "context.set",
        "model.requested 1",
        "item.started agentMessage inProgress",
        "item.completed agentMessage completed",
        "usage.updated",
        "model.responded",
        "turn.ended completed",
      ]
    `)
  })
})
