import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { ScriptedStep } from '@parley/testkit'
import { hasFullSandbox, noFullSandbox } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { execWorld } from './exec-world.ts'

const finding = {
  severity: 'high',
  file: 'cart.js',
  line: 1,
  title: 'Totals are joined as text',
  why: '`+` joins strings: 1 and 2 give 12.',
  suggestion: { old: 'a + b', new: 'Number(a) + Number(b)' },
}

const report = (...findings: readonly object[]) => ({ calls: [{ name: 'report_findings', arguments: { findings } }] })

/** A repository with two commits, and changes that are not committed. */
async function reviewWorld(steps: readonly ScriptedStep[]) {
  const world = await execWorld({ steps, files: { 'cart.js': 'a - b\n' } })
  const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: world.cwd, env })
  git('init', '-q', '-b', 'trunk')
  git('add', '-A')
  git('commit', '-q', '-m', 'one')
  git('commit', '-q', '--allow-empty', '-m', 'two')
  writeFileSync(world.path('cart.js'), 'a + b\n')
  writeFileSync(world.path('new.js'), 'c\n')
  return Object.assign(world, { git, asked: () => JSON.stringify(world.model.requests[0]?.body ?? '') })
}

/** A repository whose submodule `lib` is a copy of itself, with nothing that is not committed, and a model that finds nothing. */
async function submoduleWorld() {
  const world = await reviewWorld([report(), { text: 'Fine.' }])
  world.git('add', '-A')
  world.git('clone', '-q', '.', 'lib')
  world.git('add', 'lib')
  world.git('commit', '-q', '-m', 'three')
  return world
}

describe('parley exec review', () => {
  test('gives the model the diff, lists what it found, the gravest first, and exits with 10', async () => {
    const small = { severity: 'low', file: 'new.js', title: 'A name says nothing', why: 'Say what c is.' }
    await using world = await reviewWorld([report(small, finding), { text: 'One fault.' }])
    const { exitCode, stdout } = await world.exec(['review', 'sums above all'])
    expect(stdout).toBe(
      `1. high  cart.js:1  Totals are joined as text
   \`+\` joins strings: 1 and 2 give 12.
   - a + b
   + Number(a) + Number(b)

2. low  new.js  A name says nothing
   Say what c is.

One fault.
`,
    )
    expect(exitCode).toBe(10)
    for (const part of ['sums above all', '+a + b', '--- /dev/null', '+++ b/new.js', '"name":"report_findings"'])
      expect(world.asked()).toContain(part)
  })

  test('judges by the severity that is asked for', async () => {
    const medium = { ...finding, severity: 'medium' }
    await using world = await reviewWorld([report(medium), { text: 'Fine.' }, report(medium), { text: 'Fine.' }])
    const { result, end } = await world.execJson(['review'])
    expect(result.exitCode).toBe(0)
    expect(end).toMatchObject({ findings: [{ severity: 'medium', file: 'cart.js', line: 1 }], failure: null })
    const again = await world.execJson(['review', '--fail-on', 'medium'])
    expect(again.result.exitCode).toBe(10)
    expect(again.end).toMatchObject({ failure: { code: 'findings', message: '1 finding is medium or graver.' } })
  })

  test('that a signal ended goes on as a review, and the model is told of the signal', async (context) => {
    context.skip(!hasFullSandbox, noFullSandbox)
    const write = { calls: [{ name: 'shell', arguments: { command: 'echo changed >cart.js' } }] }
    const steps = [{ calls: [{ name: 'shell', arguments: { command: 'echo started; sleep 600' } }] }, write]
    await using world = await reviewWorld([...steps, report(finding), { text: 'Fine.' }])
    await using run = world.start(['review', '--json', '-s', 'workspace-write', '-a', 'never'])
    await expect.poll(run.stdout, { timeout: 30_000 }).toContain('"item.delta"')
    run.signal('SIGTERM')
    expect((await run.result).exitCode).toBe(143)
    const { result, end } = await world.execJson(['resume', '--last', 'go on'])
    expect(JSON.stringify(world.model.requests[1]?.body)).toMatch(/stopped after [^:]+: Stopped by SIGTERM\./)
    expect(readFileSync(world.path('cart.js'), 'utf8')).toBe('a + b\n')
    expect(result).toMatchObject({
      exitCode: 10,
      stderr: expect.stringContaining('review that was not finished goes on'),
    })
    expect(end).toMatchObject({ findings: [{ file: 'cart.js' }] })
  })

  test('writes SARIF', async () => {
    await using world = await reviewWorld([report(finding), { text: 'Fine.' }])
    const { stdout, exitCode } = await world.exec(['review', '--sarif'])
    expect(exitCode).toBe(10)
    const place = { artifactLocation: { uri: 'cart.js' }, region: { startLine: 1 } }
    expect(JSON.parse(stdout)).toMatchObject({
      version: '2.1.0',
      runs: [{ results: [{ ruleId: 'review/high', level: 'error', locations: [{ physicalLocation: place }] }] }],
    })
  })

  test('changes nothing, whatever the settings permit', async () => {
    const shell = { calls: [{ name: 'shell', arguments: { command: 'echo changed >cart.js' } }] }
    await using world = await reviewWorld([shell, report(), { text: 'Fine.' }])
    const { exitCode, stdout } = await world.exec(['review', '-s', 'danger-full-access', '-a', 'never'])
    expect(readFileSync(world.path('cart.js'), 'utf8')).toBe('a + b\n')
    expect([exitCode, stdout]).toEqual([0, 'Nothing found.\n\nFine.\n'])
  })

  test.each([
    { what: 'a branch', args: ['--base', 'trunk'], has: '+a + b', hasNot: 'b/gone.js' },
    { what: 'a commit', args: ['--commit', 'HEAD~1'], has: '+a - b', hasNot: '+a + b' },
    { what: 'a patch of stdin', args: ['--patch', '-'], stdin: '--- a/x\n+++ b/x\n', has: '+++ b/x', hasNot: '+a + b' },
  ])('reviews $what', async ({ args, stdin, has, hasNot }) => {
    await using world = await reviewWorld([report(), { text: 'Fine.' }])
    const { exitCode } = await world.exec(['review', ...args], stdin === undefined ? {} : { stdin })
    expect(exitCode).toBe(0)
    expect(world.asked()).toContain(has)
    expect(world.asked()).not.toContain(hasNot)
  })

  test.for([
    { what: 'looks at a file', reads: [{ name: 'read_file', arguments: { path: 'large.js' } }], exitCode: 0 },
    {
      what: 'asks git for it',
      reads: [{ name: 'shell', arguments: { command: 'git diff HEAD -- large.js' } }],
      exitCode: 0,
    },
    {
      what: 'looks at another one',
      reads: [{ name: 'read_file', arguments: { path: 'data-large.js' } }],
      exitCode: 1,
      isLeft: true,
    },
    { what: 'looks at nothing', reads: [], exitCode: 1, isLeft: true },
    {
      what: 'looks at nothing and nothing is to fail',
      reads: [],
      flags: ['--fail-on', 'never'],
      exitCode: 0,
      isLeft: true,
    },
  ])(
    'ends with $exitCode where a file has no room, and the model $what',
    async ({ what, reads, flags = [], exitCode, isLeft = false }, { skip }) => {
      skip(what === 'asks git for it' && !hasFullSandbox, noFullSandbox)
      const steps = [...(reads.length === 0 ? [] : [{ calls: reads }]), report(), { text: 'Fine.' }]
      await using world = await reviewWorld(steps)
      writeFileSync(world.path('large.js'), 'const one = 1\n'.repeat(30_000))
      writeFileSync(world.path('data-large.js'), '1\n')
      const { result, end } = await world.execJson(['review', ...flags])
      expect(result.exitCode).toBe(exitCode)
      expect(result.stderr).toContain('1 file is not whole in the message')
      expect(end).toMatchObject({ findings: [] })
      if (isLeft) expect(end).toMatchObject({ notLookedAt: ['large.js'] })
      else expect(end).not.toHaveProperty('notLookedAt')
      if (exitCode === 1) expect(end).toMatchObject({ failure: { code: 'reviewIncomplete' } })
    },
  )

  test('says in SARIF that a review is not whole, and of which file', async () => {
    await using world = await reviewWorld([report(), { text: 'Fine.' }])
    writeFileSync(world.path('large.js'), 'const one = 1\n'.repeat(30_000))
    const { stdout, exitCode } = await world.exec(['review', '--sarif'])
    expect(exitCode).toBe(1)
    const place = { physicalLocation: { artifactLocation: { uri: 'large.js' } } }
    const invocation = {
      executionSuccessful: false,
      toolExecutionNotifications: [{ level: 'error', locations: [place] }],
    }
    expect(JSON.parse(stdout)).toMatchObject({ runs: [{ invocations: [invocation], results: [] }] })
  })

  test.each([
    { what: 'by its path from there', file: '../cart.js', uri: 'cart.js' },
    { what: 'by its path from the top', file: 'cart.js', uri: 'cart.js' },
    { what: 'below the folder', file: 'in.js', uri: 'pkg/in.js' },
    { what: 'that is not changed', file: 'other.js', uri: 'pkg/other.js' },
  ])(
    'in a subfolder looks at the whole repository; SARIF has paths from the top, for a file named $what',
    async (named) => {
      const read = { calls: [{ name: 'read_file', arguments: { path: '../cart.js' } }] }
      await using world = await reviewWorld([read, report({ ...finding, file: named.file }), { text: 'Fine.' }])
      mkdirSync(world.path('pkg'))
      writeFileSync(world.path('pkg/in.js'), 'd\n')
      const { stdout } = await world.exec(['review', '--sarif', '-C', world.path('pkg')])
      for (const part of ['+++ b/../cart.js', '+++ b/../new.js', '+++ b/in.js']) expect(world.asked()).toContain(part)
      expect(JSON.stringify(world.model.requests[1]?.body)).toContain('a + b\\n[lines 1-1 of 1')
      const results = [{ locations: [{ physicalLocation: { artifactLocation: { uri: named.uri } } }] }]
      expect(JSON.parse(stdout)).toMatchObject({ runs: [{ invocations: [{ executionSuccessful: true }], results }] })
    },
  )

  test.each([
    {
      what: 'Latin-1',
      bytes: Buffer.from('--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+caf\xe9\n', 'latin1'),
      has: '+caf\ufffd',
    },
    {
      what: 'UTF-16, as PowerShell writes',
      bytes: Buffer.from('\ufeff--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n', 'utf16le'),
      has: '+b\\n',
    },
  ])('takes a patch in $what', async ({ bytes, has }) => {
    await using world = await reviewWorld([report(), { text: 'Fine.' }])
    writeFileSync(world.path('x.diff'), bytes)
    expect(await world.exec(['review', '--patch', 'x.diff'])).toMatchObject({ exitCode: 0 })
    expect(world.asked()).toContain(has)
  })

  test('takes no text for a patch that has no diff', async () => {
    await using world = await reviewWorld([])
    const { exitCode, stderr } = await world.exec(['review', '--patch', '-'], {
      stdin: 'fatal: not a git repository\n',
    })
    expect(exitCode).toBe(2)
    expect(stderr).toContain('This is no patch')
  })

  test('asks no model where nothing differs', async () => {
    await using world = await reviewWorld([])
    world.git('add', '-A')
    world.git('commit', '-q', '-m', 'three')
    const { exitCode, stdout, stderr } = await world.exec(['review'])
    expect([exitCode, stdout]).toEqual([0, 'Nothing found.\n'])
    expect(stderr).toContain('nothing to review')
    expect(world.model.requests).toEqual([])
  })

  test('gives the model what is changed inside a submodule, where nothing else differs', async () => {
    await using world = await submoduleWorld()
    writeFileSync(world.path('lib/cart.js'), 'a - b\nzz\n')
    const { exitCode, stderr } = await world.exec(['review'])
    expect(stderr).not.toContain('nothing to review')
    expect(exitCode).toBe(0)
    for (const part of ['+++ b/lib/cart.js', '+zz']) expect(world.asked()).toContain(part)
  })

  test('does not pass where a submodule cannot be looked into, and the model does not try', async () => {
    await using world = await submoduleWorld()
    rmSync(world.path('lib/.git'), { recursive: true })
    writeFileSync(world.path('lib/.git'), 'gitdir: gone\n')
    const { result, end } = await world.execJson(['review', '--base', 'HEAD'])
    expect(result.exitCode).toBe(1)
    expect(end).toMatchObject({ failure: { code: 'reviewIncomplete' }, notLookedAt: ['lib'] })
  })

  test('fails where the model reports nothing', async () => {
    await using world = await reviewWorld([{ text: 'All is well.' }])
    const { exitCode, stderr } = await world.exec(['review'])
    expect(exitCode).toBe(1)
    expect(stderr).toContain('without a report of findings')
  })

  test.each([
    { args: ['--base', 'nowhere'], says: 'There is no commit or branch "nowhere" here.' },
    { args: ['--base=--output=x'], says: 'There is no commit or branch "--output=x" here.' },
    { args: ['--base', 'trunk', '--commit', 'HEAD'], says: 'one of --base, --commit and --patch' },
    { args: ['--patch', 'nowhere.diff'], says: 'nowhere.diff cannot be read' },
    { args: ['--json', '--sarif'], says: '--sarif or another output format' },
    { args: ['--output-schema', 'x'], says: 'leave out --input-format jsonl, --stdin and --output-schema' },
  ])('refuses $args', async ({ args, says }) => {
    await using world = await reviewWorld([])
    const { exitCode, stderr } = await world.exec(['review', ...args])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(says)
  })
})
