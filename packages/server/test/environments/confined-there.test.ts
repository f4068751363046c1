import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { openSandboxes } from '@parley/host'
import type { Item } from '@parley/protocol'
import { expect, it } from 'vitest'
import { startFarMachine } from './support/far-machine.ts'
import { calling, inBox, patch, placeFor, shell } from './support/far-talk.ts'
import { passedOnStore } from './support/passed-on-store.ts'

const { enforcement, reason, sharesLoopback } = await openSandboxes({ cacheFile: null }).report()

it.skipIf(enforcement !== 'full')(
  `a command of an environment is confined there (needs full enforcement; here: ${reason})`,
  async () => {
    await using machine = await startFarMachine()
    await using place = placeFor(machine.newFolder())
    const { far } = place
    const outside = join(far.home, 'victim')
    writeFileSync(outside, 'as it was')
    far.write('.git/config', 'kept')
    const script = `touch made; echo x > ${outside}; echo x > .git/config; echo ended`
    const { watched, summary } = await place.talk(
      calling(shell(script)),
      {},
      { ...inBox, approvalPolicy: 'on-request' },
    )
    expect(summary.settings).toMatchObject({ enforcement: 'full', sandbox: 'workspace-write' })
    await watched.send('go')
    await watched.turnEnded()
    const [, item] = watched.items()
    expect(item).toMatchObject({ type: 'commandExecution', status: 'completed' })
    expect(JSON.stringify(item)).toContain('ended')
    expect(existsSync(join(far.work, 'made'))).toBe(true)
    expect([readFileSync(outside, 'utf8'), far.read('.git/config')]).toEqual(['as it was', 'kept'])
  },
)

it.skipIf(enforcement !== 'full')('a patch of what git runs there later asks, and another one does not', async () => {
  await using machine = await startFarMachine()
  await using place = placeFor(machine.newFolder())
  const { far } = place
  far.write('.git/config', '[core]\nhooksPath = tools/hooks')
  const model = calling(patch('*** Add File: tools/plain', '+x'), patch('*** Add File: tools/hooks/pre-commit', '+x'))
  const { watched } = await place.talk(model, {}, { ...inBox, approvalPolicy: 'on-request' })
  await watched.send('go')
  const { reason: why } = await watched.approval()
  expect(why).toContain('protected file')
  expect([existsSync(join(far.work, 'tools/plain')), existsSync(join(far.work, 'tools/hooks'))]).toEqual([true, false])
})

const serve = `perl -MSocket -e '$|=1; $SIG{PIPE}="IGNORE"; socket(S,AF_INET,SOCK_STREAM,0); bind(S,sockaddr_in(8767,INADDR_LOOPBACK)); listen(S,5); print "up\n"; while (accept(C,S)) { sysread C,$_,9999; print C "HTTP/1.0 200 OK\\r\\n\\r\\nserved"; close C }'`
const ask = `bash -c 'until (exec 3<>/dev/tcp/127.0.0.1/8767 && echo >&3 && cat <&3) 2>/dev/null; do sleep 0.1; done'`
const askOnce = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/8767 && echo >&3 && cat <&3'`

/** Asks as a browser does that resolves the name to loopback. */
async function pageAt(url: string): Promise<string> {
  const { host, port } = new URL(url)
  const [answer]: IncomingMessage[] = await once(get({ host: '127.0.0.1', port, headers: { host } }), 'response')
  return answer === undefined ? '' : await text(answer)
}

const commandsIn = (items: readonly Item[]) => items.filter(({ type }) => type === 'commandExecution')

it.skipIf(sharesLoopback !== true)(
  'commands of a conversation reach its servers there, those of another do not, and the next server finds them',
  async () => {
    await using machine = await startFarMachine()
    await using place = placeFor(machine.newFolder())
    const store = passedOnStore()
    const confined = { ...inBox, approvalPolicy: 'on-request' } as const
    const model = calling(shell(serve, { background: true }), shell(ask))
    const { watched, server, client } = await place.talk(model, { store }, confined)
    await watched.send('go')
    await watched.turnEnded()
    const [started, reached] = commandsIn(watched.items())
    expect(started).toMatchObject({
      modelText: expect.stringContaining('Commands with the same limits reach a server'),
    })
    expect(reached).toMatchObject({ status: 'completed', output: { head: expect.stringContaining('served') } })
    const { conversationId } = watched
    const forwarded = { conversationId, port: 8767 }
    const { url } = await client.request('conversation/forward', forwarded)
    expect(await pageAt(url)).toBe('served')
    // A service of that machine is not in the sandbox.
    await expect(client.request('conversation/forward', { conversationId, port: machine.port })).rejects.toMatchObject({
      data: { code: 'portNotReachable' },
      message: expect.stringContaining(`Nothing listens on port ${machine.port}`),
    })
    await server.close()
    await expect(pageAt(url)).rejects.toThrow('ECONNREFUSED')

    const next = place.here.start({ store, model: calling(shell(askOnce)) })
    const later = await next.connect()
    await later.request('conversation/resume', { conversationId })
    const again = await later.watch(conversationId)
    const next8767 = await later.request('conversation/forward', forwarded)
    expect(next8767.url).not.toBe(url)
    expect(await pageAt(next8767.url)).toBe('served')
    await again.send('and now')
    await again.until(({ core }) => core.counts.turns === 2 && core.turn === null)
    expect(commandsIn(again.items()).at(-1)).toMatchObject({
      status: 'completed',
      output: { head: expect.stringContaining('served') },
    })

    const other = await place.talk(calling(shell(askOnce)), {}, confined)
    await other.watched.send('go')
    await other.watched.turnEnded()
    expect(commandsIn(other.watched.items())).toMatchObject([
      { status: 'failed', output: { head: expect.stringContaining('Connection refused') } },
    ])
  },
)
