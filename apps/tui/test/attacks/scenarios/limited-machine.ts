import { chmodSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect } from 'vitest'
import { openExec } from '../guarded/raw-clients.ts'
import { nameOf, type Scenarios } from './scenario.ts'

const call = 'socket(S,AF_UNIX,SOCK_STREAM,0);connect(S,sockaddr_un($ARGV[0]))&&print("reached ".<S>);print "end"'

/** Ways in which a client asks for unix sockets. */
const asked = [
  { type: 'read-only', unixSockets: true },
  { mode: 'readOnly', unix_sockets: true },
  { sandboxPolicy: { type: 'read-only', unixSockets: true } },
]

export const limitedMachine: Scenarios = {
  /** A client of an exec-server asks for the services of the machine, whose owner has set the most that clients may do. */
  async P720(told) {
    const { world, context } = told
    if (world.enforcement === 'none') context.skip('no sandbox here')
    const { OUT: out = '' } = world.places(nameOf(told))
    const socket = join(out, 's')
    const service = createServer((connection) => connection.end('SERVICE'))
    await new Promise<void>((resolve) => service.listen(socket, resolve))
    chmodSync(socket, 0o777)
    const flags = ['--max-sandbox', 'read-only']
    for (const [more, answer] of [
      [[], 'unixSocketsNotAllowed'],
      [['--unix-sockets', 'yes'], 'reached SERVICE'],
    ] as const) {
      await using client = await openExec(world, [...flags, ...more])
      const run = async (processId: string, sandbox: object) => {
        const argv = ['perl', '-MSocket', '-e', call, socket]
        const params = { processId, argv, cwd: out, env: { PATH: '/usr/bin:/bin' }, sandbox }
        const { error } = await client.request('process/start', params)
        if (error !== undefined) return JSON.stringify(error)
        const closed = await client.request('process/read', { processId, waitMs: 10_000 })
        return Buffer.from(JSON.stringify(closed.result).match(/"chunk":"([^"]*)"/)?.[1] ?? '', 'base64').toString()
      }
      for (const [index, sandbox] of asked.entries()) expect(await run(`s${index}`, sandbox)).toContain(answer)
      // The same call in the same sandbox without sockets runs, and reaches nothing.
      expect(await run('plain', { type: 'read-only' })).toBe('end')
    }
    service.close()
  },
}
