import { readdirSync, readlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { type ScriptedStep, waitUntil } from '@parley/testkit'
import { expect } from 'vitest'
import { converse, messageOf, openTalk, outputOf, settingsOf } from '../world/converse.ts'
import { nameOf, type Scenarios } from './scenario.ts'

const shell = (command: string, more = {}): ScriptedStep => ({
  calls: [{ name: 'shell', arguments: { command, ...more } }],
})

const serve =
  "perl -MSocket -e 'socket(S,AF_INET,SOCK_STREAM,0);bind(S,sockaddr_in(7614,INADDR_LOOPBACK));listen(S,5);while(accept(C,S)){print C qq(ALIVE\\n);close C}'"
const call = 'exec 3<>/dev/tcp/127.0.0.1/7614 && cat <&3'

export const sharedLoopback: Scenarios = {
  /** Two conversations of one server in one folder, the first with a server in the background. */
  async P614(told) {
    const { world, mode, context } = told
    if (world.enforcement !== 'full') context.skip('no network to share here')
    const name = nameOf(told)
    const { WS: cwd = '' } = world.places(name)
    await using server = await world.another()
    const { client } = server
    const settings = settingsOf[mode]
    const called = `bash -c 'until (${call}) 2>/dev/null; do sleep 0.1; done; readlink /proc/self/ns/net'`
    world.script(name, [shell(serve, { background: true }), shell(called), { text: 'done' }])
    const talk = openTalk(client, await client.create({ cwd, ...settings }))
    await talk.send(messageOf(name))
    await talk.ended()
    const items = talk.items()
    const { conversationId } = talk
    const stop = (itemId: string) => client.request('conversation/interrupt', { conversationId, shell: true, itemId })
    const [, space = ''] = /ALIVE\n(net:\S+)/.exec(outputOf({ items })) ?? []
    expect(space).toMatch(/^net:/)
    const other = { client, attack: `${name}-other`, cwd, settings, answer: () => 'approved' as const }
    const there = await converse(world, other, [shell(`bash -c '${call}'; readlink /proc/self/ns/net`)])
    expect(outputOf(there)).toMatch(/net:/)
    expect(outputOf(there)).not.toContain('ALIVE')
    expect(outputOf(there)).not.toContain(space)
    // The conversation is closed, since nothing runs in it and nobody follows it any more.
    await stop(items[1]?.id ?? '')
    await talk.close()
    await waitUntil(() => !isHeld(server.pid, space), { what: 'the end of the network' })
  },

  /** The user has said yes to a port. */
  async P615(told) {
    const { world, mode, context } = told
    if (world.enforcement !== 'full') context.skip('no port to forward here')
    const name = nameOf(told)
    const { WS: cwd = '' } = world.places(name)
    const server = await world.another()
    const { client } = server
    const called = `bash -c 'until (${call}) 2>/dev/null; do sleep 0.1; done; readlink /proc/self/ns/net'`
    world.script(name, [shell(serve, { background: true }), shell(called), { text: 'done' }])
    const conversation = await client.create({ cwd, ...settingsOf[mode] })
    const talk = openTalk(client, conversation)
    await talk.send(messageOf(name))
    await talk.ended()
    const [, space = ''] = /(net:\S+)/.exec(outputOf({ items: talk.items() })) ?? []
    const { url } = await conversation.request('conversation/forward', { port: 7614 })
    const { host, port } = new URL(url)
    expect(await answerTo(port, host)).toContain('ALIVE')
    for (const other of [`localhost:${port}`, `127.0.0.1:${port}`, 'evil.example', '']) {
      const said = await answerTo(port, other)
      expect(said).toContain('421')
      expect(said).not.toMatch(/ALIVE|p7614-/)
    }
    process.kill(server.pid, 'SIGKILL')
    await waitUntil(() => !listedPids().some((pid) => isHeld(pid, space) || isIn(pid, space)), {
      what: 'the end of all',
    })
    await expect(answerTo(port, host)).rejects.toThrow('ECONNREFUSED')
  },
}

/** Returns all that comes back for a request that names a host. */
async function answerTo(port: string, host: string): Promise<string> {
  const caller = connect(Number(port), '127.0.0.1')
  caller.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  return await text(caller)
}

const listedPids = () =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0)

function isIn(pid: number, space: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`) === space
  } catch {
    return false // It ended meanwhile, or is of another user.
  }
}

/** Returns true while the process has the namespace open. */
function isHeld(pid: number, space: string): boolean {
  const folder = `/proc/${pid}/fd`
  return fdsOf(folder).some((fd) => {
    try {
      return readlinkSync(`${folder}/${fd}`) === space
    } catch {
      return false // It was closed meanwhile.
    }
  })
}

function fdsOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // It ended meanwhile, or is of another user.
  }
}
