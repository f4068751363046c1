import { once } from 'node:events'
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { openSandboxes } from '@parley/host'
import { diskFiles, secretPaths } from '@parley/workspace'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const sandboxes = openSandboxes({ cacheFile: null })
const { enforcement, reason } = await sandboxes.report()

const shell = (command: string, more: object = {}) => ({ name: 'shell', args: { command, ...more } })

/** Command that answers requests with the name of the host that they ask. */
const serve = (port: number) =>
  `perl -MSocket -e '$|=1; socket(S,AF_INET,SOCK_STREAM,0); bind(S,sockaddr_in(${port},INADDR_LOOPBACK)); listen(S,5); print "up\\n"; while (accept(C,S)) { my $host="nobody"; while (<C>) { $host=$1 if /^host: (\\S+)/i; last if /^\\r/ } print C "HTTP/1.1 200 OK\\r\\nConnection: close\\r\\n\\r\\nfor $host"; close C }'`

describe.skipIf(enforcement !== 'full')(`commands in a full sandbox (here: ${reason})`, () => {
  it('can write in the workspace, keep their /tmp, and end with a notice of what was blocked', async () => {
    await using place = testPlace()
    mkdirSync(join(place.cwd, '.git'))
    writeFileSync(join(place.cwd, '.git', 'HEAD'), 'ref: refs/heads/main\n')
    mkdirSync(join(place.root, '.ssh'))
    writeFileSync(join(place.root, '.ssh', 'id'), 'hunter2\n')
    const outside = join('/var/tmp', `parley-outside-${process.pid}`)
    const model = scriptedModel(
      { calls: [shell('echo kept > /tmp/note; echo x > made; cat made')] },
      { calls: [shell('test -d /tmp && [ "$(cat /tmp/note)" = kept ] && echo still there')] },
      { calls: [shell(`touch ${outside}`)] },
      { calls: [shell('echo x > .git/config')] },
      { calls: [shell('cat ../.ssh/id; grep -r hunter2 .. ')] },
      { text: 'ok' },
    )
    const { watched } = await place.talk({ model, sandboxes, shell: '/bin/sh' })
    await watched.send('go')
    // A look-up where secrets are is asked about before any sandbox.
    await watched.turnEnded()
    const [first, second, third, fourth, fifth] = watched.items().filter(({ type }) => type === 'commandExecution')
    expect(first).toMatchObject({ status: 'completed', output: { head: 'x\n' } })
    expect(second).toMatchObject({ status: 'completed', output: { head: 'still there\n' } })
    expect(third).toMatchObject({ status: 'failed', sandboxBlock: { paths: [outside], network: false } })
    expect(fourth).toMatchObject({ sandboxBlock: { paths: [join(place.cwd, '.git', 'config')] } })
    expect(JSON.stringify(fifth)).not.toContain('hunter2\\n')
    expect(place.read('made')).toBe('x\n')
    expect(existsSync(outside)).toBe(false)
    expect(existsSync(join(place.cwd, '.git', 'config'))).toBe(false)
    await rm(outside, { force: true })
  })

  it('can use local sockets, but not a socket of the server in their folder', async () => {
    await using place = testPlace()
    appendFileSync(
      join(place.root, '.parley', 'config.toml'),
      '\n[sandbox_workspace_write]\nallow_unix_sockets = true\n',
    )
    const [own, other] = [join(place.cwd, 'server.sock'), join(place.cwd, 'other.sock')]
    const listeners = [own, other].map((path) => createServer((socket) => socket.end()).listen(path))
    await Promise.all(listeners.map((listener) => listener.listening || once(listener, 'listening')))
    const reach = (path: string) =>
      `perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0) and connect(S,sockaddr_un("${path}")) and print "reached"'`
    const model = scriptedModel({ calls: [shell(reach(other))] }, { calls: [shell(reach(own))] }, { text: 'ok' })
    const secrets = () =>
      secretPaths({ home: place.root, parleyHome: join(place.root, '.parley'), runFolders: [own] }, diskFiles)
    const { watched } = await place.talk({ model, sandboxes, secrets, shell: '/bin/sh' })
    await watched.send('go')
    await watched.turnEnded()
    const [first, second] = watched.items().filter(({ type }) => type === 'commandExecution')
    expect(first).toMatchObject({ output: { head: 'reached' } })
    expect(second).toMatchObject({ output: { head: '' } })
    for (const listener of listeners) listener.close()
  })

  it('reach a server in the background of their conversation, unless they have other limits', async (context) => {
    const loopback = await sandboxes.openLoopback('test')
    if (loopback === null) context.skip('commands share no loopback here')
    loopback?.close()
    await using place = testPlace()
    const call = 'exec 3<>/dev/tcp/127.0.0.1/8765 && printf "\\r\\n" >&3 && cat <&3'
    const model = scriptedModel(
      { calls: [shell(serve(8765), { background: true })] },
      { calls: [shell(`until (${call}) 2>/dev/null; do sleep 0.1; done`)] },
      { text: 'ok' },
      { calls: [shell(call)] },
      { text: 'ok' },
    )
    const { client, watched } = await place.talk({ model, sandboxes, shell: '/bin/bash' })
    await watched.send('go')
    await watched.turnEnded()
    const { conversationId } = watched
    const overrides = { addDirs: [place.root] }
    await client.request('conversation/resume', { conversationId, overrides })
    await watched.send('and with another folder')
    await watched.until(({ core }) => core.counts.turns === 2 && core.turn === null)
    const [server, first, second] = watched.items().filter(({ type }) => type === 'commandExecution')
    expect(server).toMatchObject({ modelText: expect.stringContaining('Commands with the same limits reach a server') })
    expect(first).toMatchObject({ status: 'completed', output: { head: expect.stringContaining('for nobody') } })
    expect(second).toMatchObject({ status: 'failed', output: { head: expect.stringContaining('Connection refused') } })
  })

  it('have a port forwarded after a yes of the user, until the conversation ends or its server is killed', async (context) => {
    const loopback = await sandboxes.openLoopback('test')
    if (loopback === null) context.skip('commands share no loopback here')
    loopback?.close()
    await using place = testPlace()
    const model = scriptedModel({ calls: [shell(serve(8766), { background: true, tell_when: 'up' })] }, { text: 'ok' })
    const { client, server, watched } = await place.talk({ model, sandboxes, shell: '/bin/bash' })
    const { conversationId } = watched
    const forwarding = (port: number) => client.request('conversation/forward', { conversationId, port })
    await expect(forwarding(8766)).rejects.toMatchObject({ data: { code: 'portNotReachable' } })
    await watched.send('go')
    await watched.until(({ window }) => window.some(({ item }) => item.type === 'notice' && item.printed !== undefined))
    const tightening = await server.connect('careful', { mayLoosen: false })
    await expect(tightening.request('conversation/forward', { conversationId, port: 8766 })).rejects.toMatchObject({
      data: { code: 'notPermitted' },
    })
    const { url } = await forwarding(8766)
    expect(await forwarding(8766)).toEqual({ port: 8766, url })
    await watched.until(({ core }) => core.forwards?.length === 1)
    const { host, port } = new URL(url)
    const ask = () => once(get({ host: '127.0.0.1', port, headers: { host } }), 'response')
    const [answer] = await ask()
    expect(await text(answer)).toBe(`for ${host}`)
    const stopped = await client.request('conversation/forward/stop', { conversationId, port: 8766 })
    expect(stopped).toEqual({ stopped: true })
    await watched.until(({ core }) => core.forwards === undefined)
    await expect(ask()).rejects.toThrow('ECONNREFUSED')
    const again = await forwarding(8766)
    await server.close()
    // A killed server leaves the log without the end of the forwarding.
    const lines = place.logLines(conversationId)
    const end = lines.findLastIndex((line) => line.includes('"forwards.changed","forwards":[]'))
    place.writeLog(conversationId, lines.slice(0, end))
    const next = place.start()
    const resumed = await next.connect()
    await resumed.request('conversation/resume', { conversationId })
    const { events } = await resumed.request('conversation/readEvents', { conversationId, after: { seq: 0 } })
    const changes = events.flatMap(({ event }) => (event.type === 'forwards.changed' ? [event.forwards] : []))
    expect(changes).toEqual([[{ port: 8766, url }], [], [again], []])
  })

  it.skipIf(process.env['PARLEY_LONG_TESTS'] === undefined)(
    'are stopped once their temporary files have grown over the quota, which is said',
    { timeout: 60_000 },
    async () => {
      await using place = testPlace()
      const fill = 'fallocate -l 5G "$TMPDIR/large"; sleep 600'
      const model = scriptedModel(
        { calls: [shell(fill)] },
        { calls: [shell(fill, { background: true })] },
        { text: 'ok' },
      )
      const { watched, client } = await place.talk({ model, sandboxes, shell: '/bin/sh' })
      await watched.send('go')
      await watched.turnEnded()
      const [first] = watched.items().filter(({ type }) => type === 'commandExecution')
      expect(first).toMatchObject({ status: 'failed', modelText: expect.stringContaining('had grown over 4 GiB') })
      const running = async () => (await client.request('server/diagnostics', {})).conversations[0]?.backgroundProcesses
      await expect.poll(running, { timeout: 30_000 }).toBe(0)
      const notices = watched.items().filter((item) => item.type === 'notice' && item.code === 'scratchExceeded')
      expect(notices).toHaveLength(2)
    },
  )

  it('have the network only after an approval', async () => {
    await using place = testPlace()
    let contacts = 0
    const listener = createServer((socket) => {
      contacts += 1
      socket.end()
    })
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    const address = listener.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const connect = `exec 3<>/dev/tcp/127.0.0.1/${port}`
    const model = scriptedModel(
      { calls: [shell(connect)] },
      { calls: [shell(connect, { network: true, reason: 'to fetch' })] },
      { text: 'ok' },
    )
    const { watched } = await place.talk({ model, sandboxes, shell: '/bin/bash' })
    await watched.send('go')
    expect(await watched.approval()).toMatchObject({ kind: 'network', network: true })
    expect(contacts).toBe(0)
    await watched.decide('approved')
    await watched.turnEnded()
    expect(contacts).toBe(1)
    listener.close()
  })
})
