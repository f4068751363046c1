import { expect, it } from 'vitest'
import { scriptedModel } from '../support/scripted-model.ts'
import { testPlace } from '../support/test-server.ts'
const touch = { name: 'shell', args: { command: 'touch made' } }
it('probe', async () => {
    await using place = testPlace()
    const { server, watched: before } = await place.talk({ model: scriptedModel({ calls: [touch] }) })
    const { conversationId } = before
    await before.send('go')
    const a = await before.approval()
    await server.close()
    const client = await place.start({ model: scriptedModel({ text: 'ok' }) }).connect()
    await client.request('conversation/resume', { conversationId })
    const watched = await client.watch(conversationId)
    await watched.decide('approved')
    await new Promise((r) => setTimeout(r, 1500))
    console.log(watched.story(), a.contentHash, JSON.stringify(watched.state.core.approvals), JSON.stringify(watched.state.core.turn))
}, 8000)
