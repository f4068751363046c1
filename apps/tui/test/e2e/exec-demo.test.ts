import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { delimiter, dirname } from 'node:path'
import { runCli, tempDirectory } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { demoProject, demoTask } from '../../src/commands/run-demo.ts'
import { type ExecWorld, execWorld, fullAccess } from './exec-world.ts'

/** The recording runs `node --test`; a runner may have no Node but the one that runs this. */
const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter)

const fault = '  return amount - percent\n'
const repair = '  return amount - (amount * percent) / 100\n'

function rule(decision: 'allow' | 'deny', match: string): string {
  return `[[rule]]\ndecision = "${decision}"\n${match}\n`
}
const tests = 'command = ["node", "--test"]'
const patches = 'tool = "apply_patch"'

interface Demo {
  readonly rules?: readonly string[]
  readonly args?: readonly string[]
  readonly files?: Readonly<Record<string, string>>
  readonly task?: string
}

async function demoWorld({ rules = [], files = {} }: Demo = {}): Promise<ExecWorld> {
  return await execWorld({ files: { ...demoProject, ...files, 'ci.toml': rules.join('\n') } })
}

const play = (world: ExecWorld, { args = [], task = demoTask }: Demo = {}) =>
  world.execJson(['-c', 'model_provider=demo', '--policy', 'ci.toml', ...args, task], { env: { ...world.env, PATH } })

const cart = (world: ExecWorld) => readFile(world.path('src/cart.js'), 'utf8')

test('the demo reads, runs the failing test, patches and runs it again', async () => {
  await using world = await demoWorld()
  const { result, events, end } = await play(world, { args: fullAccess })
  expect(result.exitCode).toBe(0)
  expect(end.answer).toMatch(/^All three tests pass now\./)
  expect(await cart(world)).toBe(demoProject['src/cart.js']?.replace(fault, repair))
  const ends = events.flatMap(({ type, item }) => (type === 'item.completed' ? [summaryOf(item)] : []))
  expect(ends.filter((text) => text !== null)).toEqual([
    'toolCall completed',
    ...Array.from({ length: 3 }, () => 'toolCall completed'),
    'commandExecution failed',
    'fileChange completed',
    'toolCall completed',
    'commandExecution completed',
    'toolCall completed',
  ])
  expect(world.model.requests).toHaveLength(0)
})

function summaryOf(item: unknown): string | null {
  if (typeof item !== 'object' || item === null || !('type' in item && 'status' in item)) return null
  return 'tool' in item ? `${item.type} ${item.status}` : null
}

test('the demo makes no scratch project where there is no terminal', async () => {
  await using world = await execWorld()
  await using folder = await tempDirectory()
  const { exitCode, stdout, stderr } = await runCli(['demo'], {
    env: { ...world.env, TMPDIR: folder.path },
    cwd: folder.path,
  })
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain('parley needs a terminal.')
  expect(readdirSync(folder.path)).toEqual([])
})

describe('the demo has words for', () => {
  test.each<[string, Demo, RegExp, 'repaired' | 'as it was']>([
    ['nobody who answers', {}, /^I left `src\/cart\.js` as it is; nothing was changed\.\n/, 'as it was'],
    [
      'tests that may run, and a patch that is forbidden',
      { rules: [rule('allow', tests), rule('deny', patches)] },
      /^I left `src\/cart\.js` as it is; nothing was changed\.\n/,
      'as it was',
    ],
    [
      'tests that may run, and a patch nobody answers',
      { rules: [rule('allow', tests)] },
      /nothing was changed/,
      'as it was',
    ],
    [
      'tests that are forbidden, and a patch that is allowed',
      { rules: [rule('deny', tests), rule('allow', patches)] },
      /\*\*not verified\*\*/,
      'repaired',
    ],
    [
      'tests nobody answers, and a patch that is allowed',
      { rules: [rule('allow', patches)] },
      /\*\*not verified\*\*/,
      'repaired',
    ],
    [
      'all of it forbidden',
      { rules: [rule('deny', tests), rule('deny', patches)] },
      /nothing was changed/,
      'as it was',
    ],
    [
      'all of it allowed',
      { rules: [rule('allow', tests), rule('allow', patches)] },
      /All three tests pass now/,
      'repaired',
    ],
    ['another task', { task: 'Write a poem.', files: { 'src/cart.js': '' }, args: fullAccess }, /.+/, 'as it was'],
  ])('%s', async (_name, demo, answer, file) => {
    await using world = await demoWorld(demo)
    const before = await cart(world)
    const { result, end } = await play(world, demo)
    expect(result.exitCode).toBe(0)
    expect(end.answer).toMatch(answer)
    expect(await cart(world)).toBe(file === 'repaired' ? before.replace(fault, repair) : before)
  })

  test.each<[string, string, string, RegExp]>([
    [
      'tests that pass already',
      'src/cart.js',
      (demoProject['src/cart.js'] ?? '').replace(fault, repair),
      /nothing to fix/,
    ],
    ['a file that is not as it read it', 'src/cart.js', 'export const total = 1\n', /did not apply/],
    [
      'tests that fail in spite of the patch',
      'test/more.test.js',
      "import { test } from 'node:test'\ntest('never', () => { throw new Error('no') })\n",
      /still fail/,
    ],
  ])('%s', async (_name, path, content, answer) => {
    await using world = await demoWorld({ files: { [path]: content } })
    const { result, end } = await play(world, { args: fullAccess })
    expect(result.exitCode).toBe(0)
    expect(end.answer).toMatch(answer)
  })

  test('what it cannot do, once its task is done', async () => {
    await using world = await demoWorld()
    await play(world, { args: fullAccess })
    const { result, end } = await play(world, { args: ['resume', '--last'], task: 'And now a poem.' })
    expect(result.exitCode).toBe(0)
    expect(end.answer).toMatch(/This model is a recording.*OPENAI_API_KEY/)
  })

  test('a folder that is not its own', async () => {
    await using world = await execWorld({ files: { 'ci.toml': '' } })
    const { end } = await play(world)
    expect(end.answer).toMatch(/This model is a recording/)
  })
})
