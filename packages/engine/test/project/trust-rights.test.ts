import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeFiles } from '@parley/journal'
import { createProjects } from '@parley/policy'
import { diskFiles } from '@parley/workspace'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { decideTrust, readTrust } from '../../src/project/trust.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'parley-trust-'))
  const laptop = '[environments.laptop]\nconnected = "ada/laptop"\ncwd = "/app"\n'
  writeFileSync(join(home, 'config.toml'), `${laptop}[environments.box]\nurl = "ws://127.0.0.1:9"\n`)
})
afterEach(() => rmSync(home, { recursive: true }))

/** Resolves to the users for whom the environment is taken, and to the code of the error where it is not. */
async function decide(name: string | null, environment?: string): Promise<unknown> {
  const taken: unknown[] = []
  const ports = {
    home,
    projects: createProjects({ home, env: {}, files: nodeFiles }),
    clock: { now: () => 0 },
    sandboxes: { report: () => Promise.reject(new Error('not asked')) },
    environments: {
      take({ users }: { users?: readonly string[] }): never {
        taken.push(users)
        throw new Error('taken')
      },
    },
  } as unknown as Parameters<typeof decideTrust>[2]
  const person = name === null ? ({ kind: 'operator' } as const) : ({ kind: 'user', name } as const)
  const folder = { cwd: '/', ...(environment === undefined ? {} : { environment }) }
  const error = await decideTrust({ ...folder, hash: 'x', verdict: 'trusted' }, { person }, ports).catch(
    (caught) => caught,
  )
  return taken[0] ?? error.data?.code
}

it("lets the owner of a machine that has connected trust a project there, and no user any other's", async () => {
  expect(await decide('ada', 'laptop')).toEqual(['ada'])
  expect(await decide(null, 'laptop')).toEqual(['ada'])
  expect(await decide(null, 'box')).toEqual([])
  expect(await decide('bo', 'laptop')).toBe('notPermitted')
  expect(await decide('ada', 'box')).toBe('notPermitted')
  expect(await decide('ada')).toBe('notPermitted')
})

it.each([
  ['command = "node"', 'trusted'],
  ['url = "http://169.254.169.254/"', 'notPermitted'],
])('lets the owner trust a tool server with %s on their machine: %s', async (server, outcome) => {
  const work = join(realpathSync(home), 'far')
  mkdirSync(join(work, '.git'), { recursive: true })
  mkdirSync(join(work, '.parley'))
  writeFileSync(join(work, '.parley', 'config.toml'), `[mcp_servers.far]\n${server}\n`)
  const sandboxes = { report: () => Promise.resolve({ enforcement: 'full' }) }
  const machine = {
    name: 'laptop',
    machine: 'ada/laptop',
    reach: () => Promise.resolve(),
    files: diskFiles,
    home: '/nowhere',
    env: {},
    sandboxes,
  }
  const ports = {
    home,
    projects: createProjects({ home, env: {}, files: nodeFiles }),
    clock: { now: () => 0 },
    environments: { take: () => ({ environment: machine, release: () => Promise.resolve() }) },
  } as unknown as Parameters<typeof decideTrust>[2]
  const ada = { person: { kind: 'user', name: 'ada' } } as const
  const folder = { cwd: work, environment: 'laptop' }
  const { hash, rejects, keptIn } = await readTrust(folder, ada, ports)
  expect(keptIn).toBe('home')
  expect(Object.keys(rejects ?? {})).toEqual(outcome === 'trusted' ? [] : ['trusted'])
  expect(await readTrust(folder, { person: { kind: 'operator' } }, ports)).not.toHaveProperty('rejects')
  const why = expect.stringContaining('the owner of that machine, or whoever runs the server')
  const bo = { person: { kind: 'user', name: 'bo' } } as const
  expect((await readTrust(folder, bo, ports)).rejects).toEqual({ trusted: why, declined: why })
  const deciding = decideTrust({ ...folder, hash: hash ?? '', verdict: 'trusted' }, ada, ports)
  const found = await deciding.then(
    ({ state }) => state,
    (caught) => caught.data?.code,
  )
  expect(found).toBe(outcome)
})
