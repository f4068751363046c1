import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { openSandboxes } from '@parley/host'
import { tempWorkspace, waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { execPlace } from '../support/in-process.ts'

const sandboxes = openSandboxes({ cacheFile: null })
const { enforcement, reason } = await sandboxes.report()

/** A workspace beside a folder with a file that must not change and one that must not be read. */
async function confinedPlace() {
  await using stack = new AsyncDisposableStack()
  const files = { 'work/a': 'a', 'work/.git/config': 'kept', 'out/victim': 'victim', 'out/key': 'TOP-SECRET' }
  const { path: root } = stack.use(await tempWorkspace({ files }))
  const at = (name: string) => join(root, name)
  const place = stack.use(execPlace({ sandboxes, secrets: [at('out/key')] }))
  const client = await place.greeted()
  const sandbox = { type: 'workspace-write', writableRoots: [at('work')] }
  const disposal = stack.move()
  let count = 0
  return {
    ...{ at, client, place, sandbox },
    async run(script: string, more: Record<string, unknown> = {}) {
      const id = `run-${count++}`
      const argv = ['/bin/sh', '-c', script]
      const env = { PATH: '/usr/bin:/bin' }
      expect((await client.start(id, argv, { cwd: at('work'), sandbox, env, ...more })).error).toBeUndefined()
      const closed = (await client.untilTold(id, 'process/closed')).params
      const read = (await client.ask('process/read', { processId: id })).result
      return { text: client.text(id), exit: (await client.untilTold(id, 'process/exited')).params, closed, read }
    },
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  }
}

describe.skipIf(enforcement !== 'full')(
  `a confined process, in earnest (needs full enforcement; here: ${reason})`,
  () => {
    it('writes in its roots only and reads no secrets', async () => {
      await using place = await confinedPlace()
      symlinkSync(place.at('out'), place.at('work/link'))
      const tries = ['a', 'new', '.git/config', '.git/commondir', '../out/victim', 'link/victim', '.mcp.json']
      const { text } = await place.run(
        [`for f in ${tries.join(' ')}; do { echo x > $f && echo wrote $f; } 2>/dev/null; done`, 'cat ../out/key'].join(
          '\n',
        ),
      )
      expect(text).not.toContain('TOP-SECRET')
      expect(text.match(/^wrote .*/gm)).toEqual(['wrote a', 'wrote new'])
      expect(['work/.git/config', 'out/victim'].map((name) => readFileSync(place.at(name), 'utf8'))).toEqual([
        'kept',
        'victim',
      ])
      expect(['.git/commondir', '.mcp.json'].filter((name) => existsSync(place.at(`work/${name}`)))).toEqual([])
      const readOnly = await place.run('echo x > a; cat a', { sandbox: 'read-only' })
      expect(readOnly.text).toContain('x\n')
      expect((await place.run('echo y > a', { sandbox: 'read-only' })).exit?.['exitCode']).not.toBe(0)
    })

    it('has what it made to start programs moved aside, which its end tells', async () => {
      await using place = await confinedPlace()
      const { closed, read } = await place.run('git init -q sub; git -C sub config core.fsmonitor evil')
      const config = place.at('work/sub/.git/config')
      const moved = { path: config, aside: expect.stringContaining(`${config}.parley-aside-`) }
      expect(closed?.['exchanged']).toEqual([{ text: expect.stringContaining('core.fsmonitor'), moved }])
      expect(read?.['exchanged']).toEqual(closed?.['exchanged'])
      expect(existsSync(config)).toBe(false)
      expect((await place.run('git init -q plain')).closed).not.toHaveProperty('exchanged')
    })

    it('has a /tmp that the next process shares', async () => {
      await using place = await confinedPlace()
      const name = `parley-test-${process.pid}-kept`
      await place.run(`echo kept > /tmp/${name}`)
      expect((await place.run(`cat /tmp/${name}`)).text).toBe('kept\n')
      expect(existsSync(`/tmp/${name}`)).toBe(false)
    })

    it('reaches no network and reports sandboxDenied', async () => {
      await using place = await confinedPlace()
      let calls = 0
      const server = createServer(() => {
        calls += 1
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const address = server.address()
      const port = typeof address === 'object' ? address?.port : 0
      const script = (host: string) => `exec 2>/dev/null; /bin/bash -c 'echo x > /dev/tcp/${host}/${port}' || exit 3`
      expect((await place.run(script('127.0.0.1'))).exit).toMatchObject({ exitCode: 3 })
      expect((await place.run(script('192.0.2.1'))).exit).toMatchObject({ exitCode: 3, sandboxDenied: true })
      expect((await place.run('exit 3')).exit).toMatchObject({ exitCode: 3, sandboxDenied: false })
      expect(calls).toBe(0)
      server.close()
    })

    it('runs in a terminal, can be interrupted and terminated, and leaves no process', async () => {
      await using place = await confinedPlace()
      const { client, at, sandbox } = place
      const script = 'trap "echo caught; exit 5" INT; (setsid sleep 600 &); stty size; while :; do sleep 0.05; done'
      const more = { cwd: at('work'), sandbox, tty: true }
      expect((await client.start('t', ['/bin/bash', '-c', script], more)).result).toMatchObject({
        sandboxType: 'bubblewrap',
      })
      await waitUntil(() => client.text('t').includes('24 80'), { what: 'the size of the terminal' })
      await client.ask('process/signal', { processId: 't', signal: 'interrupt' })
      expect((await client.untilTold('t', 'process/exited')).params).toMatchObject({ exitCode: 5 })
      await client.untilTold('t', 'process/closed')
      expect(client.text('t')).toContain('caught')
      await client.start('s', ['/bin/sh', '-c', 'setsid sleep 600 & echo on; wait'], { cwd: at('work'), sandbox })
      await client.untilTold('s', 'process/output')
      expect((await client.ask('process/terminate', { processId: 's' })).result).toEqual({ running: true })
      await client.untilTold('s', 'process/closed')
      await place.place.noDescendants()
    })

    it('is not run in a folder that its sandbox hides', async () => {
      await using place = await confinedPlace()
      mkdirSync(place.at('elsewhere'))
      const { error } = await place.client.start('a', ['touch', place.at('work/made')], {
        ...{ cwd: place.at('gone'), sandbox: place.sandbox },
      })
      expect(error?.data).toMatchObject({ code: 'spawnFailed', subject: 'cwd' })
      expect(existsSync(place.at('work/made'))).toBe(false)
    })
  },
)
