import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { environmentWithFailure, failedCall, type NthCall } from '@parley/testkit'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { applyPatch, type ExecWorld, execWorld, fullAccess, shell } from '../e2e/exec-world.ts'
import { place } from '../e2e/interactive-program.ts'

const isLong = process.env['PARLEY_LONG_TESTS'] === '1'
vi.setConfig({ testTimeout: isLong ? 3_600_000 : 60_000 })

/** Seed of the few calls of a class that `npm test` takes. */
const seed = 20261123
const classes = {
  processes: ['EAGAIN', 'EMFILE', 'ENOMEM'],
  network: ['ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'EMFILE'],
  files: ['EIO', 'ENOSPC', 'EDQUOT', 'EACCES', 'EROFS', 'EMFILE'],
} as const
/** A run makes some 900 calls on files; the long run takes each 9th for each errno. */
const strides = { processes: 1, network: 1, files: 9 } as const
const isAllowedEnd = (exitCode: number | null) => [0, 1, 2, 8, 9].includes(exitCode ?? -1)

const patched = applyPatch('*** Update File: a.txt', '@@', '-old', '+new')
const steps = () => [
  { text: 'Both.', calls: [...(shell('echo x >> ran').calls ?? []), ...(patched.calls ?? [])] },
  ...Array.from({ length: 8 }, () => ({ text: 'Done.' })),
]

/** Reads the checksums of the only log by number; empty without a log. */
function loggedIn({ env }: ExecWorld): ReadonlyMap<number, string> {
  const names = readdirSync(env.PARLEY_HOME, { recursive: true }).map(String)
  const log = names.find((name) => /sessions\/\d{4}\/.*\.jsonl$/.test(name))
  const lines = log === undefined ? [] : readFileSync(join(env.PARLEY_HOME, log), 'utf8').split('\n').slice(1, -1)
  return new Map(lines.map((line) => [JSON.parse(line).seq, JSON.parse(line).crc]))
}

function effects(world: ExecWorld): { readonly ran: string; readonly patched: string } {
  const read = (name: string) => (readdirSync(world.cwd).includes(name) ? readFileSync(world.path(name), 'utf8') : '')
  return { ran: read('ran'), patched: read('a.txt') }
}

/** Runs a turn in which the call fails, then another one without a failure. Returns false when there were fewer calls. */
async function runWith(call: NthCall): Promise<boolean> {
  await using world = await execWorld({
    steps: steps(),
    files: { 'a.txt': 'old\n' },
    provider: 'request_max_retries = 2',
  })
  const calls = join(world.home, 'calls')
  writeFileSync(calls, '')
  const env = { ...world.env, ...environmentWithFailure(call, calls) }
  const { result, events } = await failing(world, env)
  const failed = failedCall(calls)
  const about = { call, failed, exitCode: result.exitCode, stderr: result.stderr.slice(-500) }
  expect({ ...about, isAllowed: isAllowedEnd(result.exitCode), signal: result.signal }).toEqual({
    ...about,
    isAllowed: true,
    signal: null,
  })
  const logged = loggedIn(world)
  for (const { seq, crc } of events) expect({ ...about, seq, crc: logged.get(seq) }).toEqual({ ...about, seq, crc })
  const before = effects(world)
  expect({ ...about, isOnce: before.ran.length <= 2, isWhole: /^(?:old|new)\n$/.test(before.patched) }).toEqual({
    ...about,
    isOnce: true,
    isWhole: true,
  })
  expect(readdirSync(world.cwd).filter((name) => !['a.txt', 'ran'].includes(name))).toEqual([])
  if (events.length > 0) {
    expect({ ...about, resumed: (await world.exec(['resume', '--last', 'again'])).exitCode }).toEqual({
      ...about,
      resumed: 0,
    })
    expect({ ...about, after: effects(world) }).toEqual({ ...about, after: before })
  }
  return failed !== null
}

async function failing(world: ExecWorld, env: ExecWorld['env']) {
  const result = await world.spawn(['--json', ...fullAccess, 'go'], { env })
  const lines = result.lines().map((line): { readonly seq?: number; readonly crc?: string } => JSON.parse(line))
  return { result, events: lines.flatMap(({ seq, crc }) => (seq === undefined ? [] : [{ seq, crc }])) }
}

/** Calls that fail: with each errno a few, or all until none is left. */
async function sweep(kind: NthCall['kind'], errno: string, few: readonly number[]): Promise<void> {
  const call = (nth: number): NthCall => ({ kind, errno, nth, program: 'server.mjs' })
  if (!isLong) for (const nth of few) await runWith(call(nth))
  else for (let nth = 1 + (errno.length % strides[kind]); await runWith(call(nth)); ) nth += strides[kind]
}

describe('in a run whose server', () => {
  test.each(isLong ? classes.processes : (['ENOMEM'] as const))(
    'cannot start a process (%s), whichever it is, nothing is lost or done twice',
    async (errno) => {
      await sweep('processes', errno, [1])
    },
  )

  test.each(isLong ? classes.network : (['ECONNRESET'] as const))(
    'has a network call that fails (%s), whichever it is, nothing is lost or done twice',
    async (errno) => {
      await sweep('network', errno, [2])
    },
  )

  test.each(isLong ? classes.files : (['EIO'] as const))(
    'has a call on a file that fails (%s), whichever it is, nothing is lost or done twice',
    async (errno) => {
      await sweep('files', errno, fc.sample(fc.integer({ min: 180, max: 900 }), { seed, numRuns: 3 }))
    },
  )

  test.each(isLong ? Array.from({ length: 12 }, (_, at) => at + 1) : [1, 5])(
    'cannot look at its credentials (EIO, call %i), nothing is lost or done twice',
    async (nth) => {
      await runWith({ kind: 'files', errno: 'EIO', nth, program: 'server.mjs', file: 'credentials.json' })
    },
  )
})

describe('a system without room for another process', () => {
  const client = (nth: number, errno: string): NthCall => ({ kind: 'processes', errno, nth, program: 'parley.mjs' })

  test.each(classes.processes)('(%s) ends a run with a sentence where its server cannot be started', async (errno) => {
    await using world = await execWorld()
    const calls = join(world.home, 'calls')
    const env = { ...world.env, ...environmentWithFailure(client(1, errno), calls) }
    const { exitCode, stderr } = await world.spawn(['hi'], { env })
    expect({ exitCode, stderr }).toEqual({
      exitCode: 70,
      stderr: expect.stringMatching(
        new RegExp(`^parley: The server /\\S+ could not be started: .+ \\(${errno}\\)\\.\\n$`),
      ),
    })
  })

  test.each(isLong ? classes.processes : (['EMFILE'] as const))(
    '(%s) opens a window without its guard',
    async (errno) => {
      await using at = await place([{ text: 'Fine.' }])
      const calls = join(at.folder.path, 'calls')
      await using pty = at.startWith({ env: environmentWithFailure(client(2, errno), calls) }, 'hi')
      await pty.waitFor(/Fine\.[\s\S]*› Ask/)
      pty.press('Ctrl+D')
      expect(await pty.exited).toMatchObject({ exitCode: 0 })
      expect(failedCall(calls)).toBe('spawn')
    },
  )
})
