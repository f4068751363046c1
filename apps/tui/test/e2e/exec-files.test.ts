import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { applyPatch, type ExecWorld, execWorld, fullAccess, shell } from './exec-world.ts'

describe('-o', () => {
  test('is --output-last-message of Codex, too', async () => {
    await using world = await execWorld({ steps: [{ text: 'Fine.' }] })
    expect((await world.exec(['--output-last-message', 'answer.md', 'hi'])).exitCode).toBe(0)
    expect(await readFile(world.path('answer.md'), 'utf8')).toBe('Fine.\n')
  })

  test('has the answer when there is one', async () => {
    await using world = await execWorld({ steps: [{ text: 'Fine.' }] })
    expect(await world.spawn(['-o', 'answer.md', 'hi'])).toMatchObject({ exitCode: 0, stdout: 'Fine.\n' })
    expect(await readFile(world.path('answer.md'), 'utf8')).toBe('Fine.\n')
    expect(await readdir(world.cwd)).toEqual(['answer.md'])
  })

  test('keeps what was there when there is none', async () => {
    await using world = await execWorld({ files: { 'answer.md': 'old\n' }, steps: [{ status: 401 }] })
    expect((await world.exec(['-o', 'answer.md', 'hi'])).exitCode).toBe(3)
    expect(await readFile(world.path('answer.md'), 'utf8')).toBe('old\n')
  })

  test('that turns out to be impossible ends the run with 9; the answer is not lost', async () => {
    const blocking = async () => {
      await mkdir(world.path('answer.md'))
      return { text: 'Fine.' }
    }
    await using world: ExecWorld = await execWorld({ steps: [() => blocking()] })
    const { result, end } = await world.execJson(['-o', 'answer.md', 'hi'])
    expect(result.exitCode).toBe(9)
    expect(end).toMatchObject({ exitCode: 9, answer: 'Fine.', failure: { code: 'outputFailed' } })
    expect(result.stderr).toContain('The answer could not be written to answer.md')
  })
})

describe('--record', () => {
  const recorded = (path: string) => [
    ...['-c', 'model_provider=tape', '-c', 'model_providers.tape.wire_api=recorded'],
    ...['-c', `model_providers.tape.recording=${path}`],
  ]

  test('keeps what the model says, and it can be played back', async () => {
    const steps = [{ text: 'Let me look.', ...shell('cat a.txt') }, { text: 'It says one.' }]
    await using world = await execWorld({ files: { 'a.txt': 'one\n' }, steps })
    const tape = world.path('tape.jsonl')
    const live = await world.spawn(['--record', 'tape.jsonl', 'hi'])
    const played = await world.exec([...recorded(tape), 'hi'])
    expect(played.exitCode).toBe(0)
    expect(played.stdout).toBe(live.stdout)
    expect(withoutTimes(played.stderr)).toBe(withoutTimes(live.stderr))
    expect(world.model.requests).toHaveLength(2)
  })

  test('adds to what it has, so that a conversation of several runs is one recording', async () => {
    await using world = await execWorld({ steps: [{ text: 'One.' }, { text: 'Two.' }] })
    const tape = world.path('tape.jsonl')
    await world.exec(['--record', 'tape.jsonl', 'hi'])
    await world.exec(['resume', '--last', '--record', 'tape.jsonl', 'again'])
    expect((await world.exec([...recorded(tape), 'hi'])).stdout).toBe('One.\n')
    expect((await world.exec(['resume', '--last', ...recorded(tape), 'again'])).stdout).toBe('Two.\n')
  })

  test('that cannot be played ends the run with 2 and says where', async () => {
    await using world = await execWorld({ files: { 'tape.jsonl': '{"id":"1"}\n' } })
    const { exitCode, stderr } = await world.exec([...recorded(world.path('tape.jsonl')), 'hi'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringMatching(/cannot be played: line 1/) })
    const missing = await world.exec([...recorded(world.path('none')), 'hi'])
    expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/cannot be played: ENOENT/) })
  })
})

function withoutTimes(text: string): string {
  return text.replace(/after [\d.]+ m?s/g, 'after a while')
}

test('--add-dir makes another folder one to work in', async () => {
  await using other = await tempDirectory()
  await using world = await execWorld()
  const file = join(other.path, 'made')
  await writeFile(world.path('ci.toml'), `[[rule]]\ndecision = "allow"\npath = "${other.path}/**"\n`)
  world.model.script([applyPatch(`*** Add File: ${file}`, '+x'), { text: 'Made.' }])
  expect(await world.exec([...fullAccess, '--add-dir', other.path, 'hi'])).toMatchObject({ exitCode: 0 })
  expect(await readFile(file, 'utf8')).toBe('x\n')
})

test('--add-dir of a folder that is not there is refused in one sentence', async () => {
  await using world = await execWorld()
  const { exitCode, stderr } = await world.exec(['--add-dir', 'nowhere', 'hi'])
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: `parley: The added folder ${world.path('nowhere')} does not exist.\n`,
  })
})
