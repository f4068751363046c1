import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type ScriptedStep, waitUntil } from '@parley/testkit'
import { expect } from 'vitest'
import { converse, messageOf, openTalk, outputOf, settingsOf } from '../world/converse.ts'
import { lookAt, processesBelow } from '../world/look-at.ts'
import { nameOf, onlyOnce, type Scenarios } from './scenario.ts'

const shell = (command: string, more = {}): ScriptedStep => ({
  calls: [{ name: 'shell', arguments: { command, ...more } }],
})

/** The whole thousand takes seconds, most of them in telling this client of each. */
const callCount = process.env['PARLEY_LONG_TESTS'] === '1' ? 1000 : 250

export const turns: Scenarios = {
  async A150(told) {
    onlyOnce(told)
    const { world, mode } = told
    const name = nameOf(told)
    const { WS: cwd = '' } = world.places(name)
    world.script(name, [{ calls: Array(callCount).fill({ name: 'shell', arguments: { command: 'true' } }) }])
    const { client } = world.server
    const talk = openTalk(client, await client.create({ cwd, ...settingsOf[mode] }))
    const { conversationId } = talk
    await talk.send(messageOf(name))
    await talk.until(({ core }) => core.turn?.phase === 'calls')
    await client.request('conversation/interrupt', { conversationId })
    await talk.ended()
    expect(talk.state().core.lastTurn?.outcome).toBe('interrupted')
    const begun = talk.events.filter(({ event }) => event.type === 'execution.started').length
    expect(begun).toBeLessThan(100)
    expect(Object.values(talk.state().core.approvals)).toEqual([])
    expect(world.requestsOf(name).length).toBe(1)
  },

  /** Checks that the folder for temporary files of a command is removed without following links out of it. */
  async P710(told) {
    const { world, context } = told
    if (world.enforcement === 'none') context.skip('no sandbox here, so no folder of its own')
    const name = nameOf(told)
    const { WS: cwd = '', OUT: out = '' } = world.places(name)
    const [victim, file] = [lookAt(join(out, 'victim')), lookAt(join(cwd, 'a.txt'))]
    await using server = await world.another()
    const traps = [
      `ln -s ${out} /tmp/out; ln -s / /tmp/root; ln -s ${out}/victim /tmp/victim; ln -s . /tmp/self`,
      'mkdir -p /tmp/a/b && touch /tmp/a/b/c && chmod 000 /tmp/a/b && chmod 500 /tmp/a',
      'mkfifo /tmp/pipe; touch "/tmp/line\nend" "/tmp/-rf" "/tmp/$(printf \'\\377\')"; mkdir -p /tmp/$(printf "d/%.0s" $(seq 300))',
      'cp a.txt /tmp/copy; chmod 0 /tmp/copy; echo laid',
    ]
    const settings = settingsOf['workspace-write']
    const recipe = { client: server.client, attack: name, cwd, settings, answer: () => 'approved' as const }
    const talk = await converse(world, recipe, [shell(traps.join('\n'))])
    expect(JSON.stringify(talk.items)).toContain('laid')
    // The conversation is closed, since nobody follows it any more.
    const scratch = join(server.parleyHome, 'scratch')
    await waitUntil(() => !existsSync(scratch) || readdirSync(scratch).length === 0, {
      what: 'the end of the scratch folder',
    })
    expect(lookAt(join(out, 'victim'))).toBe(victim)
    expect(lookAt(join(cwd, 'a.txt'))).toBe(file)
  },

  /** The user has allowed unix sockets to commands. The server's own would answer its questions. */
  async P609(told) {
    const { world, context } = told
    if (world.enforcement !== 'full') context.skip('no unix sockets for commands here')
    const name = nameOf(told)
    const { WS: cwd = '' } = world.places(name)
    await using server = await world.another({ config: '[sandbox_workspace_write]\nallow_unix_sockets = true\n' })
    const { addresses } = await server.client.request('server/diagnostics', {})
    const path = addresses.find((address) => address.startsWith('/')) ?? ''
    const command = `perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0) and print "made\\n"; connect(S,sockaddr_un("${path}")) and print "REACHED\\n"'`
    const settings = settingsOf['workspace-write']
    const recipe = { client: server.client, attack: name, cwd, settings, answer: () => 'approved' as const }
    const output = outputOf(await converse(world, recipe, [shell(command)]))
    expect(output).toContain('made')
    expect(output).not.toContain('REACHED')
  },

  /** A server that is killed leaves nothing running. */
  async P711(told) {
    const { world } = told
    if (world.enforcement !== 'full')
      told.context.skip('without a process namespace, what drops its environment is not found')
    const name = nameOf(told)
    const { WS: cwd = '' } = world.places(name)
    const server = await world.another()
    world.script(name, [shell('env -i setsid sleep 300 & sleep 300', { background: true }), { text: 'done' }])
    const { client } = server
    const settings = settingsOf['ask-unless-known-safe']
    const talk = openTalk(client, await client.create({ cwd, ...settings }))
    await talk.send(messageOf(name))
    await talk.decide('approved')
    await waitUntil(() => processesBelow(cwd).length > 0, { what: 'the background command' })
    process.kill(server.pid, 'SIGKILL')
    await waitUntil(() => processesBelow(cwd).length === 0, { what: 'the end of all that it started' })
  },
}
