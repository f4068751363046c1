import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CommandEnd, createBackgroundProcesses, type Host, noSandbox, openHost } from '../../src/index.ts'
import { command, markedPids, shellCommand, waitUntil } from '../waiting.ts'

const options = { sandbox: noSandbox }
let host: Host
beforeAll(async () => {
  host = openHost()
  await host.warmUp()
})
afterAll(() => host.close())

function open() {
  const ends: [string, CommandEnd][] = []
  const background = createBackgroundProcesses({
    runCommand: host.runCommand,
    onEnd: (id, end) => ends.push([id, end]),
  })
  return { background, ends }
}

describe('background processes', () => {
  it('are listed while they run, and their output can be read', async () => {
    const { background } = open()
    await background.start('a', shellCommand('echo one; echo two; exec sleep 60'), options)
    await background.start('b', command(['sleep', '60']), options)
    await waitUntil(() => background.read('a')?.totalBytes === 8)
    expect(background.list().map(({ id, end, totalBytes }) => [id, end, totalBytes])).toEqual([
      ['a', null, 8],
      ['b', null, 0],
    ])
    expect(background.read('a')?.bytes.toString()).toBe('one\ntwo\n')
    expect(background.read('a', { fromByte: 4 })?.bytes.toString()).toBe('two\n')
    expect(background.read('a', { maxBytes: 2 })?.bytes.toString()).toBe('o\n')
    await background.stopAll('shutdown')
  })

  it('report their end once, exited or stopped', async () => {
    const { background, ends } = open()
    await background.start('quick', shellCommand('exit 3'), options)
    await waitUntil(() => ends.length === 1)
    await background.start('slow', command(['sleep', '60']), options)
    expect(await background.stop('slow')).toMatchObject({ reason: 'interrupted' })
    await background.stop('slow')
    expect(ends.map(([id, { reason, exitCode }]) => [id, reason, exitCode])).toEqual([
      ['quick', 'exited', 3],
      ['slow', 'interrupted', null],
    ])
  })

  it('can still be read after their end', async () => {
    const { background, ends } = open()
    await background.start('a', shellCommand('echo bye'), options)
    await waitUntil(() => ends.length === 1)
    expect(background.read('a')?.bytes.toString()).toBe('bye\n')
    expect(background.list()[0]?.end?.exitCode).toBe(0)
  })

  it('take over a running command, which can run on without its time limit and its spool', async () => {
    const { background, ends } = open()
    const folder = mkdtempSync(join(tmpdir(), 'parley-adopted-'))
    const spec = shellCommand('echo one; until [ -e stop ]; do sleep 0.02; done; echo two')
    const limited = { ...spec, cwd: folder, timeoutMs: 300, spool: { path: join(folder, 'spool') } }
    const startedMs = performance.now()
    const running = host.runCommand(limited, options)
    await waitUntil(() => running.output().totalBytes === 4)
    background.adopt('a', running, { spec: limited, ...options })
    running.runOn()
    expect(readdirSync(folder)).toEqual([])
    await waitUntil(() => performance.now() > startedMs + 400)
    writeFileSync(join(folder, 'stop'), '')
    await waitUntil(() => ends.length === 1)
    expect(ends[0]?.[1]).toMatchObject({ reason: 'exited', exitCode: 0 })
    expect(ends[0]?.[1]).not.toHaveProperty('spool')
    expect(background.read('a')?.bytes.toString()).toBe('one\ntwo\n')
    rmSync(folder, { recursive: true })
  })

  it('leave nothing when all are stopped', async () => {
    const { background, ends } = open()
    const specs = ['a', 'b', 'c'].map((id) => [id, shellCommand('setsid sleep 60 & exec sleep 60')] as const)
    for (const [id, spec] of specs) await background.start(id, spec, options)
    await waitUntil(() => specs.every(([, { mark }]) => markedPids(mark).length === 2))
    await background.stopAll('shutdown')
    expect(ends.map(([id, { reason }]) => `${id} ${reason}`).sort()).toEqual(['a shutdown', 'b shutdown', 'c shutdown'])
    await waitUntil(() => specs.every(([, { mark }]) => markedPids(mark).length === 0))
  })

  it('keep only the newest ended ones', async () => {
    const { background, ends } = open()
    const ids = Array.from({ length: 34 }, (_, index) => String(index))
    for (const id of ids) await background.start(id, command(['no-such-program']), options)
    await waitUntil(() => ends.length === 34)
    expect(background.list().length).toBe(32)
  })

  it('do not share an id, and an unknown id gives null', async () => {
    const { background } = open()
    await background.start('a', command(['sleep', '60']), options)
    await expect(background.start('a', command(['true']), options)).rejects.toThrow(RangeError)
    expect([background.read('x'), await background.stop('x')]).toEqual([null, null])
    await background.stopAll('shutdown')
  })
})
