import { codeOf } from '@parley/client'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { listenOn } from '@parley/serving/src/listen.ts'
import { expect, it } from 'vitest'
import { createConnections } from '../../src/frontends/conversation/connections.ts'
import { connectorToServers, libraryOnServers } from '../../src/programs/named-servers.ts'
import { startTeam, type Team } from '../engine/support/team.ts'

/** Listens for the users of a team. Returns what names the server, with the token of a user. */
async function listen({ server: { engine }, place }: Team) {
  const connections = createConnections({ engine, onChange: () => undefined })
  const address = { kind: 'websocket', host: '127.0.0.1', port: 0 } as const
  const rightsOf = engine.rights.ofToken ?? (() => null)
  const { listener, address: url } = await listenOn(
    address,
    { tokenFile: null },
    { connections, home: place.root, rightsOf, writeLog: () => undefined },
  )
  return {
    as: (token: string) => ({ urls: [url], token }),
    async [Symbol.asyncDispose]() {
      await listener.close()
      await connections.close()
    },
  }
}

it('frontends reach what the user of their token reaches; what is forbidden is answered as what is unknown', async () => {
  await using team = await startTeam(['ada', 'bo', 'admin:eve'], { model: scriptedModel({ text: 'ok' }) })
  await using listening = await listen(team)
  const eve = await team.as('eve')
  const { token } = await eve.request('user/token', { user: 'bo' })
  const ada = await team.as('ada')
  const { conversationId } = await ada.request('conversation/create', { cwd: team.place.cwd })
  const watched = await ada.watch(conversationId)
  await watched.send('hello')
  await watched.turnEnded()

  const who = { clientInfo: { name: 'mcp', version: '1' }, canApprove: true }
  for (const connecting of [
    connectorToServers(listening.as('another'))(who),
    libraryOnServers(listening.as('another'), {}),
  ])
    await expect(connecting).rejects.toMatchObject({ data: { code: 'accessEnded' } })
  await using mcp = await connectorToServers(listening.as(token))(who)
  await using library = await libraryOnServers(listening.as(token), { name: 'acp' })
  for (const client of [mcp, library]) {
    expect(client.server.person).toEqual({ kind: 'user', name: 'bo' })
    const answerFor = (id: string) =>
      client
        .request('conversation/resume', { conversationId: id })
        .catch((error: unknown) => [codeOf(error), error instanceof Error ? error.message.replace(id, 'ID') : ''])
    const forbidden = await answerFor(conversationId)
    expect(forbidden).toEqual(await answerFor(`${conversationId.slice(0, -1)}0`))
    expect(forbidden).toMatchObject(['conversationNotFound', expect.any(String)])
  }
  await ada.request('conversation/share', { conversationId, user: 'bo', role: 'reader' })
  const sent = mcp.request('conversation/sendMessage', {
    conversationId,
    input: [{ type: 'text', text: 'more' }],
    when: 'queue',
  })
  expect(codeOf(await sent.catch((error: unknown) => error))).toBe('notPermitted')
})
