import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cliPath, type ScriptedStep, startProgram, tempDirectory } from '@parley/testkit'
import { isLong } from '@parley/testkit/long-runs'
import { describe, expect, test } from 'vitest'
import { execWorld, shell } from './exec-world.ts'

const pages = ['scripting', 'ci'].map((name) =>
  readFileSync(new URL(`../../../../docs/${name}.md`, import.meta.url), 'utf8'),
)

/** The recipes of the pages by their headings. */
const recipes = new Map(
  pages.flatMap((page) =>
    [...page.slice(page.indexOf('\n## Recipes')).matchAll(/^### ([^\n]+)\n\n```sh\n(.*?)^```$/gms)].map(
      ([, title = '', script = '']) => [title, script] as const,
    ),
  ),
)

interface Trial {
  readonly steps: readonly ScriptedStep[]
  readonly stdout: string
  readonly exitCode?: number
  readonly files?: Readonly<Record<string, string>>
  /** Shell lines before the recipe. */
  readonly before?: string
}

const repository =
  'git init -q .; git add .; git -c commit.gpgsign=false commit -q -m first; echo two >>a.txt; git add .'
const branch =
  'git init -q -b main .; git add .; git -c commit.gpgsign=false commit -q -m first; git checkout -q -b work; echo two >>a.txt'
const report = (severity: string) => ({
  calls: [
    {
      name: 'report_findings',
      arguments: { findings: [{ severity, file: 'a.txt', line: 2, title: 'Two', why: 'It is two.' }] },
    },
  ],
})
const notes = { 'notes.txt': 'milk\n' }

const trials: Readonly<Record<string, readonly Trial[]>> = {
  'A commit message': [
    { steps: [{ text: 'Add two' }], stdout: 'Add two\n', files: { 'a.txt': 'one\n' }, before: repository },
  ],
  'A review that fails the build': [
    {
      steps: [{ text: '{"ok":false,"why":"It drops a table."}' }],
      stdout: 'It drops a table.\n',
      exitCode: 1,
      files: { 'a.txt': 'one\n' },
      before: repository,
    },
    {
      steps: [{ text: '{"ok":true,"why":"It only adds."}' }],
      stdout: 'It only adds.\n',
      files: { 'a.txt': 'one\n' },
      before: repository,
    },
    { steps: [{ text: 'no' }, { text: 'no' }], stdout: '', exitCode: 6, files: { 'a.txt': '' }, before: repository },
  ],
  'What to do by exit code': [
    { steps: [{ text: 'Fixed.' }], stdout: 'Fixed.\n' },
    {
      steps: Array.from({ length: 5 }, () => ({ status: 500 })),
      stdout: 'The model was slow or not there; once more later.\n',
    },
    { steps: [{ status: 401 }], stdout: '', exitCode: 3 },
  ],
  'Exactly the commands that a job needs': [
    {
      steps: [shell('npm test'), shell('git push'), { text: 'Tested, not pushed.' }],
      stdout: 'Tested, not pushed.\nnot run: git push\n',
      files: { 'package.json': '{"scripts":{"test":"true"}}' },
    },
  ],
  'Which commands were run': [
    { steps: [shell('ls', 'cat none'), { text: 'Seen.' }], stdout: '0 ls\n1 cat none\n', files: notes },
  ],
  'Two ways from one point': [
    {
      steps: [shell('cat notes.txt'), { text: 'Milk.' }, { text: 'Short.' }, { text: 'Long, very long.' }],
      stdout: 'Short.\nLong, very long.\n',
      files: notes,
    },
  ],
  'Several messages, one process': [
    { steps: [shell('cat notes.txt'), { text: 'Milk.' }, { text: 'Bread.' }], stdout: 'Bread.\n', files: notes },
  ],
  'A program that answers approvals': [
    {
      steps: [shell('mkdir made'), shell('touch x'), { text: 'One was made.' }],
      stdout: 'One was made.\n',
    },
  ],
  'A branch with a grave finding fails the build': [
    {
      steps: [report('high'), { text: 'One.' }],
      stdout: 'high: a.txt:2: Two\n',
      exitCode: 1,
      files: { 'a.txt': 'one\n' },
      before: branch,
    },
    {
      steps: [report('low'), { text: 'One.' }],
      stdout: 'low: a.txt:2: Two\nNothing grave.\n',
      files: { 'a.txt': 'one\n' },
      before: branch,
    },
    {
      steps: Array.from({ length: 5 }, () => ({ status: 500 })),
      stdout: 'The model was slow or not there: not a reason to fail the build.\n',
      files: { 'a.txt': 'one\n' },
      before: branch,
    },
  ],
  'A change that has to pass the tests': [
    {
      steps: [{ text: 'Fixed.' }],
      stdout: 'Fixed.\n',
      files: { 'package.json': '{"scripts":{"test":"true"}}' },
    },
    {
      steps: Array.from({ length: 4 }, () => ({ text: 'Fixed.' })),
      stdout: 'The tests do not pass: nothing to propose.\n',
      exitCode: 1,
      files: { 'package.json': '{"scripts":{"test":"false"}}' },
    },
  ],
  'A run that outlives its terminal': [{ steps: [shell('ls'), { text: 'Seen.' }], stdout: 'Seen.\n' }],
}

const committer = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b.c',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b.c',
}

function isInstalled(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

test('every recipe of docs/scripting.md and docs/ci.md is tried', () => {
  expect([...recipes.keys()].sort()).toEqual(Object.keys(trials).sort())
})

describe.runIf(['jq', 'git', 'setsid'].every(isInstalled))('the recipe', () => {
  const all = Object.entries(trials).flatMap(([title, ways]) =>
    (isLong ? ways : ways.slice(0, 1)).map((trial) => [title, trial] as const),
  )

  test.each(all)(
    '"%s" does in sh what it promises',
    async (title, { steps, stdout, exitCode = 0, files = {}, before }) => {
      await using world = await execWorld({ steps, files, provider: 'request_max_retries = 1' })
      await using bin = await tempDirectory()
      const parley = join(bin.path, 'parley')
      writeFileSync(parley, `#!/bin/sh\nexec '${process.execPath}' '${cliPath}' "$@"\n`)
      chmodSync(parley, 0o755)
      const script = `${before ?? ''}\nset -e\n${recipes.get(title)}`
      const env = { ...world.env, ...committer, PATH: `${bin.path}:${process.env['PATH']}` }
      await using run = startProgram(['sh', '-c', script], { env, cwd: world.cwd })
      const result = await run.result
      expect({ stdout: result.stdout, exitCode: result.exitCode }, result.stderr).toEqual({ stdout, exitCode })
    },
  )
})
