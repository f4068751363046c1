import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AnswerStep, ScriptedStep } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { applyPatch, execWorld, fullAccess, shell } from './exec-world.ts'

const usage = { input: 100, output: 20 }
const answering = (step: AnswerStep): AnswerStep => ({ ...step, usage })

/** Sessions of Codex itself, recorded; the model said there what it says here. */
const sessions: readonly (readonly [string, readonly ScriptedStep[]])[] = [
  ['01-hello', [answering({ reasoning: 'let me think', text: 'hello from the model' })]],
  [
    '02-tool-call',
    [answering(shell('echo out; echo err >&2')), answering(shell('exit 3')), answering({ text: 'finished' })],
  ],
  ['04-patch', [answering(applyPatch('*** Add File: hello.txt', '+hello', '+world')), answering({ text: 'patched' })]],
  [
    '08-retry-then-success',
    [
      { status: 429, headers: { 'retry-after': '0' } },
      { text: 'at last', cutAfterBytes: 200 },
      answering({ text: 'at last' }),
    ],
  ],
]

describe.concurrent('the lines are those of Codex:', () => {
  test.each(sessions)('%s', async (name, steps) => {
    await using world = await execWorld({ steps })
    const { lines, exitCode } = await world.exec(['--experimental-json', ...fullAccess, 'go'])
    expect(exitCode).toBe(0)
    expect(comparable(lines(), world.cwd)).toEqual(comparable(recorded(name), '$WORK'))
  })
})

function recorded(name: string): string[] {
  return readFileSync(join(import.meta.dirname, 'codex-lines', `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
}

/** Without ids, the folder, the name of the shell and the words of a retry. */
function comparable(lines: readonly string[], folder: string): unknown[] {
  return lines.map((line) =>
    JSON.parse(line, (key, value: unknown) => {
      if (key === 'thread_id') return '<id>'
      if (typeof value !== 'string') return value
      if (key === 'command') return value.replace(/^\S+ -l?c /, 'sh -c ')
      if (key === 'path') return value.replace(folder, '<folder>')
      return key === 'message' ? '<words>' : value
    }),
  )
}
