import { readFile } from 'node:fs/promises'
import { isLong } from '@parley/testkit/long-runs'
import { describe, expect, test } from 'vitest'
import { applyPatch, execWorld, fullAccess, shell, toldModel, withoutSandboxLine } from './exec-world.ts'

describe('a call', () => {
  test('that looks runs unasked, shown above its output', async () => {
    await using world = await execWorld({ files: { 'a.txt': 'one\n' }, steps: [shell('cat a.txt'), { text: 'Read.' }] })
    const { exitCode, stdout, stderr } = await world.exec(['hi'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Read.\n' })
    expect(withoutSandboxLine(stderr)).toMatch(/^\$ cat a.txt\none\n→ exit 0 after .*\nRead\.\n$/)
  })

  test.each<[string, object, RegExp]>([
    ['with arguments that are no JSON', { name: 'shell', arguments: '{command: ls}' }, /are not valid JSON/],
    ['with arguments that were cut off', { name: 'shell', arguments: '{"command": "ls' }, /end in the middle/],
    ['with arguments that do not fit', { name: 'shell', arguments: { line: 'ls' } }, /at command/],
    ['of a tool that is not there', { name: 'browse', arguments: {} }, /There is no tool "browse"/],
  ])('%s is explained to the model, and the turn goes on', async (_name, call, words) => {
    await using world = await execWorld({ steps: [{ calls: [call] } as never, { text: 'I see.' }] })
    const { exitCode, stdout, stderr } = await world.exec(['hi'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'I see.\n' })
    expect(withoutSandboxLine(stderr)).toMatch(/^· (shell|browse) → failed: /)
    expect(toldModel(world)[0]).toMatch(words)
  })

  test('with another name of its field is run', async () => {
    const call = { name: 'shell', arguments: { cmd: 'cat a.txt' } }
    await using world = await execWorld({ files: { 'a.txt': 'one\n' }, steps: [{ calls: [call] }, { text: 'Read.' }] })
    const { stderr } = await world.exec(['hi'])
    expect(withoutSandboxLine(stderr)).toMatch(/^\$ cat a.txt\none\n→ exit 0 after .*\nRead\.\n$/)
  })

  test('with a patch that does not apply changes nothing and tells the model why', async () => {
    const steps = [applyPatch('*** Update File: a.txt', '@@', '-three', '+four'), { text: 'I see.' }]
    await using world = await execWorld({ files: { 'a.txt': 'one\n' }, steps })
    const { exitCode, stderr } = await world.exec([...fullAccess, 'hi'])
    expect(exitCode).toBe(0)
    expect(stderr).toContain('± Patch a.txt → failed: Failed to find the expected lines')
    expect(toldModel(world)[0]).toContain('No file was changed.')
    expect(await readFile(world.path('a.txt'), 'utf8')).toBe('one\n')
  })

  test('that fails is told with its exit code', async () => {
    await using world = await execWorld({ steps: [shell('exit 3'), { text: 'I see.' }] })
    const { exitCode, stderr } = await world.exec([...fullAccess, 'hi'])
    expect(exitCode).toBe(0)
    expect(stderr).toMatch(/^\$ exit 3\n→ exit 3 after/)
  })
})

describe('a command that floods', () => {
  const flood = shell('head -c 104857600 /dev/zero | tr "\\0" "x"')

  // The attacks A130 and A131 print as much in every run.
  test.runIf(isLong)('100 MB becomes JSON lines of bounded length, and little memory', async () => {
    await using world = await execWorld({ steps: [flood, { text: 'Much.' }] })
    await using run = world.start(['--json', ...fullAccess, 'hi'])
    let peakKib = 0
    const watch = setInterval(async () => {
      for (const pid of run.processes()) peakKib = Math.max(peakKib, await peakOf(pid))
    }, 50)
    const result = await run.result
    clearInterval(watch)
    expect(result.exitCode).toBe(0)
    const lines = result.lines()
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'run.ended', answer: 'Much.' })
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(256 * 1024)
    expect(result.stdout.length).toBeLessThan(2 << 20)
    expect(peakKib).toBeGreaterThan(0)
    expect(peakKib).toBeLessThan(200 * 1024)
    expect(toldModel(world)[0]?.length).toBeLessThan(64 * 1024)
  })

  test('bytes that are no text leaves every line JSON and the terminal in peace', async () => {
    const noise = shell('head -c 100000 /dev/urandom; printf "\\033[31mred\\007"')
    await using world = await execWorld({ steps: [noise, { text: 'Noise.' }, noise, { text: 'Noise.' }] })
    const { result, events } = await world.execJson([...fullAccess, 'hi'])
    expect(result.exitCode).toBe(0)
    expect(events.some(({ type }) => type === 'item.delta')).toBe(true)
    expect(toldModel(world)[0]).toMatch(/binary output, 1\d+ bytes/)
    const plain = await world.exec([...fullAccess, 'hi'])
    expect(plain.stdout).toBe('Noise.\n')
    expect(plain.stderr).not.toMatch(/[\x1b\x07]/)
  })
})

/** KiB; 0 where it cannot be known. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0)
}
