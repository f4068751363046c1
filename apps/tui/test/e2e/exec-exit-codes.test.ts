import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commandOf, type ScriptedStep, waitUntil } from '@parley/testkit'
import { isLong } from '@parley/testkit/long-runs'
import { describe, expect, test } from 'vitest'
import { type ExecWorld, execWorld, type JsonRun, jsonRun, shell } from './exec-world.ts'

interface Case {
  readonly exitCode: number
  readonly when: string
  /** Code of the failure in `run.ended`; null with exit code 0. */
  readonly failure: string | null
  readonly args?: readonly string[]
  readonly steps?: readonly ScriptedStep[]
  readonly files?: Readonly<Record<string, string>>
  /** Prepares the world, or acts on the run once the model speaks. */
  readonly before?: (world: ExecWorld) => PromiseLike<unknown>
  readonly during?: (run: ReturnType<ExecWorld['start']>) => void
  /** Tried in exec-stops.test.ts, too, and here in long runs. */
  readonly elsewhere?: true
}

const answer = { text: 'Fine.' }
const hanging = { hang: 'mid', text: 'half of an answer', chunks: 4 } as const
const schema = JSON.stringify({ type: 'object', required: ['ok'] })

/** Ends the server of a run with a signal. */
const signalServer = (name: NodeJS.Signals) => (run: ReturnType<ExecWorld['start']>) => {
  for (const pid of run.processes()) if (commandOf(pid).includes('server.mjs')) process.kill(pid, name)
}

const cases: readonly Case[] = [
  { exitCode: 0, when: 'there is an answer', failure: null, steps: [answer] },
  {
    exitCode: 0,
    when: 'there is an answer in spite of a denial',
    failure: null,
    steps: [shell('touch x'), answer],
  },
  { exitCode: 1, when: 'the turn fails', failure: 'invalidRequest', steps: [{ status: 400 }] },
  { exitCode: 1, when: 'the answer is cut', failure: 'outputLimit', steps: [{ text: 'half', incomplete: true }] },
  { exitCode: 1, when: 'the answer is empty', failure: 'noAnswer', steps: [{ text: '' }] },
  { exitCode: 2, when: 'a flag is unknown', failure: 'usage', args: ['--nope', 'hi'] },
  { exitCode: 2, when: 'a flag has no value', failure: 'usage', args: ['-m'] },
  { exitCode: 2, when: 'two formats are wanted', failure: 'usage', args: ['--output-format', 'text', 'hi'] },
  { exitCode: 2, when: 'there is no prompt', failure: 'invalidParams', args: [''] },
  { exitCode: 2, when: 'a setting is wrong', failure: 'configInvalid', args: ['-c', 'model=""', 'hi'] },
  { exitCode: 2, when: 'the folder is a file', failure: 'cwdMissing', args: ['-C', 'f', 'hi'], files: { f: '' } },
  { exitCode: 2, when: '-o cannot be written', failure: 'invalidParams', args: ['-o', 'none/a', 'hi'] },
  {
    exitCode: 3,
    when: 'nothing is configured',
    failure: 'noCredentials',
    before: (world) => world.writeConfig(''),
  },
  { exitCode: 3, when: 'the key is refused', failure: 'auth', steps: [{ status: 401 }] },
  {
    exitCode: 4,
    when: 'what was asked was denied, and there is no answer',
    failure: 'approvalUnanswered',
    steps: [shell('touch x'), { text: '' }],
  },
  { exitCode: 5, when: 'there is no such conversation', failure: 'conversationNotFound', args: ['resume', 'x', 'hi'] },
  { exitCode: 5, when: 'there is none to copy', failure: 'conversationNotFound', args: ['fork', 'x', 'hi'] },
  {
    exitCode: 5,
    when: 'the event to copy up to does not exist',
    failure: 'itemNotFound',
    args: ['fork', '0', '--at', '999', 'hi'],
    steps: [answer],
    before: (world) => world.exec(['first']),
  },
  {
    exitCode: 6,
    when: 'the answer does not satisfy its schema',
    failure: 'answerUnfit',
    args: ['--output-schema', 's.json', 'hi'],
    files: { 's.json': schema },
    steps: [{ text: '{}' }, { text: '{}' }],
  },
  { exitCode: 7, when: 'time is up', failure: 'timeout', args: ['--timeout', '1', 'hi'], steps: [hanging] },
  {
    exitCode: 7,
    when: 'the model calls are used up',
    failure: 'maxTurns',
    args: ['--max-turns', '1', 'hi'],
    steps: [shell('pwd'), answer],
  },
  {
    exitCode: 7,
    when: 'a limit of the conversation is reached',
    failure: 'maxTurns',
    args: ['-c', 'limits.max_turns=1', 'hi'],
    steps: [shell('pwd'), answer],
  },
  {
    exitCode: 7,
    when: 'the tokens are used up',
    failure: 'maxTokens',
    args: ['--max-tokens', '15', 'hi'],
    steps: [shell('pwd'), answer],
  },
  {
    exitCode: 7,
    when: 'the money is used up',
    failure: 'maxCost',
    args: [
      '--max-cost',
      '0.01',
      '-c',
      'models.scripted.price.input=1000',
      '-c',
      'models.scripted.price.output=1000',
      'hi',
    ],
    steps: [shell('pwd'), answer],
  },
  {
    exitCode: 2,
    when: 'the price that a limit needs is not known',
    failure: 'invalidParams',
    args: ['--max-cost', '1', '-c', 'model_providers.local.base_url="http://models.invalid/v1"', 'hi'],
  },
  { exitCode: 2, when: 'a limit is no number', failure: 'usage', args: ['--max-cost', 'much', 'hi'] },
  {
    exitCode: 8,
    when: 'the provider cannot be reached',
    failure: 'unreachable',
    args: ['-c', 'model_providers.local.request_max_retries=0', 'hi'],
    before: (world) => world.model[Symbol.asyncDispose](),
  },
  {
    exitCode: 8,
    when: 'the provider fails',
    failure: 'providerError',
    args: ['-c', 'model_providers.local.request_max_retries=0', 'hi'],
    steps: [{ status: 503 }],
  },
  {
    exitCode: 9,
    when: 'the conversation cannot be stored',
    failure: 'storageFailed',
    before: (world) => writeFile(join(world.env.PARLEY_HOME, 'sessions'), ''),
  },
  {
    exitCode: 9,
    when: '-o turns out to be impossible',
    failure: 'outputFailed',
    args: ['-o', 'answer.md', 'hi'],
    before: async (world) => world.model.script([() => mkdir(world.path('answer.md')).then(() => answer)]),
  },
  {
    exitCode: 13,
    when: 'a check may not be run',
    failure: 'checkDenied',
    args: ['--check', 'touch made', 'hi'],
    steps: [answer],
  },
  {
    exitCode: 70,
    when: 'the server is killed',
    failure: 'serverFailed',
    steps: [hanging],
    during: signalServer('SIGKILL'),
  },
  {
    exitCode: 130,
    when: 'SIGINT comes',
    failure: 'stopped',
    steps: [hanging],
    during: (run) => run.signal('SIGINT'),
    elsewhere: true,
  },
  {
    exitCode: 143,
    when: 'SIGTERM comes',
    failure: 'stopped',
    steps: [hanging],
    during: (run) => run.signal('SIGTERM'),
    elsewhere: true,
  },
  {
    exitCode: 143,
    when: 'SIGHUP comes',
    failure: 'stopped',
    steps: [hanging],
    during: (run) => run.signal('SIGHUP'),
    elsewhere: true,
  },
  {
    exitCode: 143,
    when: 'a second signal comes while the server hangs',
    failure: 'stopped',
    steps: [hanging],
    during: (run) => {
      signalServer('SIGSTOP')(run)
      // Signals sent together arrive in either order; both of these end a run with 143.
      for (const name of ['SIGTERM', 'SIGHUP'] as const) run.signal(name)
    },
  },
]

/** A process where a signal comes, for an answer and for a failure; in long runs for the first case of each exit code. */
async function runOf(one: Case, world: ExecWorld): Promise<JsonRun> {
  const { args = ['hi'], during } = one
  const isFirst = one === cases.find(({ exitCode }) => exitCode === one.exitCode)
  const isProcess = isFirst && (isLong || one.exitCode <= 1)
  if (during === undefined && !isProcess) return world.execJson(args, { stdin: '' })
  await using run = world.start(['--json', ...args])
  if (during !== undefined) {
    await waitUntil(() => run.stdout().includes('"item.delta"'), { what: 'text of the model' })
    during(run)
  } else run.closeStdin()
  return jsonRun(await run.result)
}

describe.concurrent('parley exec --json ends with run.ended and', () => {
  const tried = cases.filter(({ elsewhere }) => isLong || elsewhere !== true)

  test.each(tried.map((one) => [one.exitCode, one.when, one] as const))('%i when %s', async (exitCode, _when, one) => {
    const { failure, steps = [], files = {}, before } = one
    await using world = await execWorld({ steps, files })
    await before?.(world)
    const { result, end } = await runOf(one, world)
    expect({ code: result.exitCode, end }).toEqual({
      code: exitCode,
      end: expect.objectContaining({ type: 'run.ended', exitCode }),
    })
    expect(end.failure?.code ?? null).toBe(failure)
    if (end.failure !== null) expect(result.stderr).toContain(end.failure.message)
  })

  test('the table above has every exit code that exec can have', async () => {
    const { exitCodes } = await import('../../src/cli/exit-codes.ts')
    // Verdicts of `parley policy test`, of `parley exec review` (exec-review.test.ts) and of `parley replay`.
    const { asks, findings, denied, wouldChange, differs, ...codes } = exitCodes
    const reached = new Set(cases.map(({ exitCode }) => exitCode))
    expect(Object.values(codes).filter((code) => !reached.has(code))).toEqual([])
    expect([asks, findings, denied, wouldChange, differs]).toEqual([10, 10, 11, 12, 11])
  })
})

test('parley policy test ends with 0, 10, 11 and 12', async () => {
  await using world = await execWorld({
    steps: [shell('ls'), answer],
    files: { 'no.toml': '[[rule]]\ndecision = "deny"\ncommand = ["ls"]\n' },
  })
  const codeOf = async (words: string) => (await world.parley('policy', 'test', ...words.split(' '))).exitCode
  expect(await codeOf('ls')).toBe(0)
  expect(await codeOf('touch x')).toBe(10)
  expect(await codeOf('--policy no.toml ls')).toBe(11)
  const { end } = await world.execJson(['hi'])
  expect(await codeOf(`--conversation ${end.conversationId} --rules no.toml`)).toBe(12)
})
