import { describe, expect, test } from 'vitest'
import { applyPatch, execWorld, fullAccess, shell } from './exec-world.ts'

const steps = [
  applyPatch('*** Add File: a.txt', '+first'),
  { text: 'Made it.' },
  shell('echo printed'),
  applyPatch('*** Update File: a.txt', '@@', '-first', '+second'),
  { text: 'Changed it.' },
]

describe('a conversation of two turns', () => {
  test('is shown whole, as it was at a point, and between two points', async () => {
    await using world = await execWorld({ steps })
    await world.exec([...fullAccess, 'make a.txt'])
    await world.exec([...fullAccess, 'resume', '--last', 'change it'])
    const whole = await world.parley('show')
    expect(whole).toMatchObject({ exitCode: 0 })
    const rows = whole.stdout.trimEnd().split('\n')
    expect(rows.map((row) => row.slice(7))).toEqual(
      expect.arrayContaining(['You: make a.txt', '  Made it.', 'You: change it', '  Changed it.']),
    )
    const end = Number(rows.find((row) => row.includes('Made it.'))?.slice(0, 5))
    expect((await world.parley('show', '--at', `${end}`)).stdout.trimEnd().split('\n').at(-1)).toBe(
      `${String(end).padStart(5)}    Made it.`,
    )
    const { stdout } = await world.parley('diff', '--from', `${end}`)
    expect(stdout).toMatch(/^ +\d+ {2}You: change it\n[\s\S]*-first\n +\+second\n[\s\S]* Changed it\.\n$/)
    expect(stdout).not.toContain('make a.txt')
    const first = await world.parley('diff', '--to', `${end}`, '--json')
    expect(
      first.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).item.type),
    ).toEqual(['userMessage', 'fileChange', 'agentMessage'])
  })

  test('has nothing before its beginning, and no span that ends before it begins', async () => {
    await using world = await execWorld({ steps: [{ text: 'One.' }] })
    await world.exec(['the task'])
    expect(await world.parley('show', '--at', '1')).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: expect.stringContaining('nothing in that part'),
    })
    expect(await world.parley('diff', '--from', '9', '--to', '3')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--from 9 is not before --to 3'),
    })
    expect(await world.parley('show', 'nosuch')).toMatchObject({ exitCode: 5 })
    for (const beyond of ['show --at 900', 'diff --to 900', 'diff --from 900'])
      expect(await world.parley(...beyond.split(' '))).toMatchObject({
        exitCode: 5,
        stdout: '',
        stderr: expect.stringMatching(/^parley: There is no event 900; the newest is \d+\.\n$/),
      })
  })
})
