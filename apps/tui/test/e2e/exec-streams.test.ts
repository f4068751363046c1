import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitUntil } from '@parley/testkit'
import { isLong } from '@parley/testkit/long-runs'
import { describe, expect, test } from 'vitest'
import { execWorld, jsonRun, shell, withoutSandboxLine } from './exec-world.ts'

const answer = { text: 'Fine.', chunks: 2 }

/** Checks that a log of the home holds the end of a turn. */
const hasEnded = (parleyHome: string) =>
  readdirSync(parleyHome, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .some((name) => readFileSync(join(parleyHome, name), 'utf8').includes('"type":"turn.ended"'))

describe('stdout', () => {
  test('has nothing but the answer, and stderr all that led to it', async () => {
    const steps = [{ reasoning: 'Hm.', text: 'Let me look.', ...shell('cat a.txt') }, answer]
    await using world = await execWorld({ files: { 'a.txt': 'one\n' }, steps })
    const { stdout, stderr } = await world.exec(['hi'])
    expect(stdout).toBe('Fine.\n')
    expect(withoutSandboxLine(stderr)).toMatch(
      /^· thinking\nHm\.\nLet me look\.\n\$ cat a\.txt\none\n→ exit 0 after .*\nFine\.\n$/,
    )
  })

  test('has every event as a line, numbered without a gap, and the end of the run last', async () => {
    await using world = await execWorld({ steps: [shell('echo one'), answer] })
    const { result, events, end } = await world.execJson(['hi'])
    const seqs = result
      .lines()
      .slice(0, -1)
      .map((line) => JSON.parse(line).seq)
    expect(seqs).toEqual(seqs.map((_seq, at) => at + 1))
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['conversation.created', 'turn.started', 'execution.started', 'item.delta', 'turn.ended']),
    )
    expect(events.at(-1)?.type).toBe('turn.ended')
    expect(end).toEqual({
      type: 'run.ended',
      exitCode: 0,
      conversationId: expect.any(String),
      turnId: events.at(-1)?.['turnId'],
      outcome: 'completed',
      stopReason: 'done',
      answer: 'Fine.',
      failure: null,
      denials: [],
      usage: { inputTokens: 20, cachedInputTokens: 0, outputTokens: 10, reasoningTokens: 0, costUsd: 0 },
    })
    expect(withoutSandboxLine(result.stderr)).toBe('')
  })

  test('is all JSON while Node itself says what it does', async () => {
    await using world = await execWorld({ steps: [answer] })
    const env = { ...world.env, NODE_DEBUG: 'net,http,stream,child_process', NODE_OPTIONS: '--trace-warnings' }
    const { result, end } = jsonRun(await world.spawn(['--json', 'hi'], { env }))
    expect(end.answer).toBe('Fine.')
    expect(result.stderr).toMatch(/NET|STREAM|CHILD_PROCESS/)
  })
})

describe.concurrent('nothing is lost', () => {
  test('to a reader that is slow', async () => {
    const text = Array.from({ length: 4000 }, (_, at) => `line ${at}`).join('\n')
    await using world = await execWorld({ steps: [{ text, chunks: 300 }] })
    const slowly = `for (const read = require('fs').readSync, b = Buffer.alloc(1024), pause = new Int32Array(new SharedArrayBuffer(4));;) {
      let n
      try { n = read(0, b) } catch (error) { if (error.code !== 'EAGAIN') throw error; n = null }
      if (n === 0) break
      if (n !== null) process.stdout.write(Buffer.from(b.subarray(0, n)))
      Atomics.wait(pause, 0, 0, 5)
    }`
    const result = await world.shell('parley exec --json hi | "$node" -e "$slowly"', {
      env: { ...world.env, node: process.execPath, slowly },
    })
    const { end } = jsonRun(result)
    expect(end.answer).toBe(text)
  })

  test('to a reader of stderr that is late, which does not keep the run from its limit of time', async () => {
    const text = 'x'.repeat(300_000)
    await using world = await execWorld({ steps: [{ text, chunks: 30, hang: 'mid' }] })
    const late = 'parley exec --timeout 2s hi 2>&1 >/dev/null | { until [ -e read ]; do sleep 0.05; done; wc -c; }'
    const run = world.shell(late)
    await waitUntil(() => hasEnded(world.env.PARLEY_HOME), { what: 'the end of the turn' })
    writeFileSync(world.path('read'), '')
    expect(Number((await run).stdout)).toBeGreaterThan(100_000)
  })

  test('to a reader that comes when all is over', async () => {
    const text = 'x'.repeat(300_000)
    await using world = await execWorld({ steps: [{ text, chunks: 30 }] })
    const run = world.shell('parley exec --json hi | { until [ -e read ]; do sleep 0.05; done; cat; }')
    await waitUntil(() => hasEnded(world.env.PARLEY_HOME), { what: 'the end of the turn' })
    writeFileSync(world.path('read'), '')
    const { end } = jsonRun(await run)
    expect(end).toMatchObject({ exitCode: 0, answer: text })
  })
})

describe('a stream that is closed from the start', () => {
  const closed: readonly (readonly [string, string, string])[] = [
    ['stdout', '>&-', '0\n'],
    ['all of them', '<&- >&- 2>&-', '0\n'],
    ['stdin', '<&-', 'Fine.\n0\n'],
    ['stderr', '2>&-', 'Fine.\n0\n'],
  ]
  test.each(isLong ? closed : closed.slice(0, 2))('(%s) is no reason to fail', async (_name, redirections, stdout) => {
    await using world = await execWorld({ steps: [answer] })
    expect((await world.shell(`parley exec hi ${redirections}; echo $?`)).stdout).toBe(stdout)
    expect(world.model.requests).toHaveLength(1)
  })
})

describe.runIf(process.platform === 'linux')('a disk that is full', () => {
  test.each(['', '--json'])('under stdout ends the run with 9 and says so (%s)', async (flag) => {
    await using world = await execWorld({ steps: [answer] })
    const { stdout, stderr } = await world.shell(`code=0; parley exec ${flag} hi >/dev/full || code=$?; echo $code`)
    expect(stdout).toBe('9\n')
    expect(stderr).toContain('parley: stdout cannot be written to (ENOSPC: no space left on device).\n')
  })

  test('under stdout of a look-up is no success', async () => {
    await using world = await execWorld({ steps: [] })
    const { stdout, stderr } = await world.shell('code=0; parley config >/dev/full || code=$?; echo $code')
    expect(stdout).toBe('9\n')
    expect(stderr).toContain('parley: stdout cannot be written to (ENOSPC: no space left on device).\n')
  })

  test('under stderr is not missed', async () => {
    await using world = await execWorld({ steps: [answer] })
    expect((await world.shell('parley exec hi 2>/dev/full; echo $?')).stdout).toBe('Fine.\n0\n')
  })
})
