import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { tempDirectory, waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { story } from './support/exec-client.ts'
import { execPlace } from './support/in-process.ts'
import { standInSandboxes } from './support/stand-in-sandboxes.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('a process', () => {
  it('sends output, exit and close with consecutive numbers', async () => {
    await using place = execPlace()
    const client = await place.greeted()
    const told = await client.run('a', ['sh', '-c', 'echo out; echo err >&2; exit 7'])
    expect(story(told).toSorted((a, b) => Number(a.split(' ')[1]) - Number(b.split(' ')[1]))).toEqual(story(told))
    expect(told.map(({ params }) => params?.seq)).toEqual([1, 2, 3, 4])
    expect(told.at(-1)?.method).toBe('process/closed')
    expect(told.find(({ method }) => method === 'process/exited')?.params).toMatchObject({
      exitCode: 7,
      sandboxDenied: false,
    })
    expect([client.text('a', 'stdout'), client.text('a', 'stderr')]).toEqual(['out\n', 'err\n'])
  })

  it('gets its variables, its folder as path or URI, and arg0', async () => {
    await using place = execPlace()
    await using folder = await tempDirectory()
    const client = await place.greeted()
    const env = { PATH: process.env['PATH'], GREETING: 'hello', 'with.dot': 'yes' }
    await client.run('env', ['env'], { env, cwd: folder.path })
    expect(client.text('env').trimEnd().split('\n').toSorted()).toEqual([
      'GREETING=hello',
      expect.stringMatching(/^PARLEY_MARK=/),
      `PATH=${process.env['PATH']}`,
      'with.dot=yes',
    ])
    const uri = pathToFileURL(folder.path).href
    await client.run('name', ['sh', '-c', 'echo "$0"; pwd'], { arg0: 'myname', cwd: uri })
    expect(client.text('name')).toBe(`myname\n${folder.path}\n`)
  })

  it.each([
    ['a signal that nobody asked for', ['sh', '-c', 'kill -9 $$'], 137],
    ['a fault', ['sh', '-c', 'kill -11 $$'], 139],
    ['itself', ['false'], 1],
  ])('ended by %s has the exit code of a shell', async (_, argv, exitCode) => {
    await using place = execPlace()
    const client = await place.greeted()
    const told = await client.run('a', argv)
    expect(told.at(-2)?.params).toMatchObject({ exitCode })
  })

  it('takes a signal, which an ended one does not', async () => {
    await using place = execPlace()
    const client = await place.greeted()
    await client.start('a', ['sleep', '60'])
    expect((await client.ask('process/signal', { processId: 'a', signal: 'interrupt' })).result).toEqual({
      running: true,
    })
    expect((await client.untilTold('a', 'process/exited')).params).toMatchObject({ exitCode: 130 })
    await client.untilTold('a', 'process/closed')
    expect((await client.ask('process/signal', { processId: 'a', signal: 'SIGTERM' })).result).toEqual({
      running: false,
    })
    expect((await client.ask('process/terminate', { processId: 'a' })).result).toEqual({ running: false })
    expect((await client.ask('process/terminate', { processId: 'never' })).result).toEqual({ running: false })
  })

  it('takes requests sent right after its start', async () => {
    await using place = execPlace()
    const client = await place.greeted()
    const answers = await Promise.all([
      client.start('a', ['sleep', '60'], { tty: true }),
      client.ask('process/resize', { processId: 'a', size: { rows: 10, cols: 20 } }),
      client.ask('process/signal', { processId: 'a', signal: 'kill' }),
    ])
    expect(answers.map(({ error }) => error)).toEqual([undefined, undefined, undefined])
    expect(answers[2]?.result).toEqual({ running: true })
    expect((await client.untilTold('a', 'process/exited')).params).toMatchObject({ exitCode: 137 })
  })

  it('closes although a grandchild holds the pipe, and ends the grandchild', async () => {
    await using place = execPlace()
    const client = await place.greeted()
    await client.run('a', ['sh', '-c', 'sleep 60 & echo said'])
    expect(client.text('a')).toBe('said\n')
    await place.noDescendants()
  })

  it('is terminated with its whole tree, including processes that left its group', async () => {
    await using place = execPlace()
    const client = await place.greeted()
    const tree = '(setsid sh -c "sleep 60 & exec sleep 60" &) ; (trap "" TERM INT; sleep 60) & sleep 60'
    await client.start('a', ['sh', '-c', tree])
    await waitUntil(() => place.descendants().length >= 5, { what: 'the tree' })
    expect((await client.ask('process/terminate', { processId: 'a' })).result).toEqual({ running: true })
    await client.untilTold('a', 'process/closed')
    expect(place.descendants()).toEqual([])
    expect(client.told('a').at(-2)?.params).toMatchObject({ exitCode: 137 })
  })
})

describe('a start', () => {
  it('with a used id has no effect, even while the first is still starting', async () => {
    await using place = execPlace()
    await using folder = await tempDirectory()
    const client = await place.greeted()
    const count = ['sh', '-c', 'echo x >> count; sleep 60']
    const answers = await Promise.all([1, 2, 3].map(() => client.start('a', count, { cwd: folder.path })))
    expect(answers.map(({ error }) => error?.message ?? 'started')).toEqual([
      'started',
      'process a already exists',
      'process a already exists',
    ])
    expect(answers[1]?.error).toMatchObject({ code: -32600, data: { code: 'processExists' } })
    await client.ask('process/terminate', { processId: 'a' })
    await client.untilTold('a', 'process/closed')
    expect((await client.start('a', ['true'])).error?.message).toBe('process a already exists')
    expect(client.told('a').filter(({ method }) => method === 'process/closed')).toHaveLength(1)
  })

  it('that is repeated while the first is still starting ends as that one does', async () => {
    const gate = Promise.withResolvers<void>()
    await using place = execPlace({ sandboxes: standInSandboxes({ gate: gate.promise, refusal: 'It broke.' }) })
    const client = await place.greeted()
    const starts = [1, 2].map(() => client.start('a', ['true'], { sandbox: 'read-only' }))
    await client.ask('environment/info')
    gate.resolve()
    for (const { error } of await Promise.all(starts)) expect(error?.data?.['code']).toBe('sandboxUnavailable')
  })

  it.each([
    ['no argv', { argv: [] }, -32602, 'argv must not be empty'],
    ['a program that is not there', { argv: ['no-such-program'] }, -32603, 'no-such-program was not found on PATH'],
    [
      'one that is not there, in a terminal',
      { argv: ['no-such-program'], tty: true },
      -32603,
      'no-such-program was not found on PATH',
    ],
    ['a program without a name', { argv: [''] }, -32603, 'The name of the program is empty'],
    ['one without a name, in a terminal', { argv: [''], tty: true }, -32603, 'The name of the program is empty'],
    ['a folder that is not there', { cwd: '/no/such' }, -32603, 'The working directory /no/such is not there'],
    ['a relative folder', { cwd: 'work' }, -32602, 'cwd must be an absolute path or a file: URI'],
    ['a URI of another machine', { cwd: 'file://elsewhere/tmp' }, -32602, 'cwd is not a file: URI of this machine'],
    ['a text for argv', { argv: 'true' }, -32602, 'process/start: argv: '],
    [
      'a NUL in an argument',
      { argv: ['echo', 'a\0b'] },
      -32603,
      'An argument, the directory or the environment holds a NUL byte',
    ],
    ['an environment policy', { envPolicy: { inherit: 'all' } }, -32602, 'process/start: envPolicy: '],
    ['a confinement by name', { sandbox: 'read-only' }, -32600, 'the sandbox cannot be set up here'],
    ['a confinement of unknown shape', { sandbox: { kind: 'x' } }, -32600, 'the sandbox policy is not understood'],
  ])('with %s is refused, and leaves its id free', async (_, more, code, message) => {
    await using place = execPlace()
    const client = await place.greeted()
    const { error } = await client.start('a', ['true'], more)
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) })
    await client.run('a', ['true'], { sandbox: { type: 'danger-full-access' } })
    expect(story(client.told('a'))).toEqual(['exited 1', 'closed 2'])
  })
})

describe('stdin', () => {
  it('is a pipe that can be written, opened by path and closed', async () => {
    await using place = execPlace()
    const client = await place.greeted()
    await client.start('a', ['sh', '-c', 'cat /dev/stdin'], { pipeStdin: true })
    const accepted = { accepted: true, status: 'accepted' }
    for (const [chunk, writeId] of [
      ['one\n', 'w1'],
      ['two\n', 'w2'],
      ['two\n', 'w2'],
    ] as const) {
      const answer = await client.ask('process/write', { processId: 'a', chunk: base64(chunk), writeId })
      expect(answer.result).toEqual(accepted)
    }
    await client.untilTold('a', 'process/output') // it has opened it
    await client.ask('process/write', { processId: 'a', chunk: base64('three\n'), closeStdin: true })
    await client.untilTold('a', 'process/closed')
    expect(client.text('a')).toBe('one\ntwo\nthree\n')
    expect((await client.ask('process/write', { processId: 'a', chunk: '' })).error).toMatchObject({
      code: -32600,
      message: 'stdin is closed for process a',
    })
  })

  it('that is closed can still be opened by path', async () => {
    await using place = execPlace()
    await using folder = await tempDirectory()
    const client = await place.greeted()
    const script = 'until [ -e go ]; do sleep 0.01; done; cat /dev/stdin'
    await client.start('a', ['sh', '-c', script], { pipeStdin: true, cwd: folder.path })
    await client.ask('process/write', { processId: 'a', chunk: base64('one\n'), closeStdin: true })
    writeFileSync(join(folder.path, 'go'), '')
    await client.untilTold('a', 'process/closed')
    expect(client.text('a')).toBe('one\n')
  })

  it('is empty without pipeStdin', async () => {
    await using place = execPlace()
    const client = await place.greeted()
    await client.start('a', ['sh', '-c', 'cat; sleep 60'])
    expect((await client.ask('process/write', { processId: 'a', chunk: base64('x') })).error).toMatchObject({
      code: -32600,
      message: 'stdin is closed for process a',
      data: { code: 'stdinClosed' },
    })
    expect((await client.ask('process/write', { processId: 'b', chunk: base64('x') })).error).toMatchObject({
      code: -32600,
      message: 'unknown process id b',
    })
    const bad = await client.ask('process/write', { processId: 'a', chunk: 'not base64 !!' })
    expect(bad.error).toMatchObject({ code: -32602, data: { field: 'chunk' } })
  })

  it('that is not read makes the writer wait and rejects too much', async () => {
    await using place = execPlace()
    const client = await place.greeted()
    await client.start('a', ['sleep', '60'], { pipeStdin: true })
    const chunk = Buffer.alloc(6 * 1024 * 1024).toString('base64')
    const answers = [1, 2, 3, 4].map(() => client.ask('process/write', { processId: 'a', chunk }))
    expect((await answers[3])?.error).toMatchObject({ code: -32001, data: { code: 'stdinFull' } })
    await client.ask('process/terminate', { processId: 'a' })
    expect((await answers[0])?.result).toBeDefined()
  })
})

describe('a terminal', () => {
  it('has a size and an echo, and turns ctrl-c into a signal', async () => {
    await using place = execPlace()
    const client = await place.greeted()
    // A signal just before one long sleep begins would be handled after it.
    const sleep = 'while :; do sleep 0.1; done'
    const script = `test -t 0 && echo tty; stty size; trap "echo caught; exit 9" INT; read line; echo "got $line"; ${sleep}`
    await client.start('t', ['sh', '-c', script], { tty: true })
    await waitUntil(() => client.text('t').includes('24 80'), { what: 'the size' })
    await client.ask('process/write', { processId: 't', chunk: base64('hello\n') })
    await waitUntil(() => client.text('t').includes('got hello'), { what: 'the answer' })
    await client.ask('process/write', { processId: 't', chunk: base64('\x03') })
    await client.untilTold('t', 'process/closed')
    expect(client.text('t', 'pty')).toBe('tty\r\n24 80\r\nhello\r\ngot hello\r\n^Ccaught\r\n')
    expect(client.told('t').find(({ method }) => method === 'process/exited')?.params).toMatchObject({ exitCode: 9 })
  })

  it('changes its size; a pipe has none', async () => {
    await using place = execPlace()
    const client = await place.greeted()
    const script = 'stty size; read line; stty size'
    await client.start('t', ['sh', '-c', script], { tty: true, size: { rows: 10, cols: 20 } })
    expect((await client.ask('process/resize', { processId: 't', size: { rows: 40, cols: 100 } })).result).toEqual({})
    await client.ask('process/write', { processId: 't', chunk: base64('\n') })
    await client.untilTold('t', 'process/closed')
    expect(client.text('t')).toMatch(/40 100\r\n$/)
    await client.start('p', ['sleep', '60'])
    expect((await client.ask('process/resize', { processId: 'p', size: { rows: 1, cols: 1 } })).error).toMatchObject({
      code: -32600,
      message: 'process p has no terminal',
    })
    const ended = await client.ask('process/write', { processId: 't', chunk: '', closeStdin: true })
    expect(ended.error?.message).toBe('stdin is closed for process t')
  })

  it('ends its input by ctrl-d only, and passes arg0', async () => {
    await using place = execPlace()
    const client = await place.greeted()
    await client.start('t', ['sh', '-c', 'echo "$0"; cat'], { tty: true, arg0: 'myname' })
    expect((await client.ask('process/write', { processId: 't', chunk: '', closeStdin: true })).error).toMatchObject({
      code: -32602,
      data: { field: 'closeStdin' },
    })
    await client.ask('process/write', { processId: 't', chunk: base64('\x04') })
    await client.untilTold('t', 'process/closed')
    expect(client.text('t')).toMatch(/^myname\r\n/)
  })
})

describe('a client with the older method names', () => {
  it('gets replies and notifications under them', async () => {
    await using place = execPlace()
    const client = await place.greeted()
    const env = { PATH: process.env['PATH'], ...place.env }
    const params = { processId: 'a', argv: ['sh', '-c', 'echo up; cat'], cwd: '/', env, tty: true }
    expect((await client.ask('command/exec', params)).result).toMatchObject({ processId: 'a' })
    await client.untilTold('a', 'command/outputDelta')
    expect((await client.ask('command/write', { processId: 'a', chunk: base64('x') })).result).toMatchObject({
      accepted: true,
    })
    expect((await client.ask('command/terminate', { processId: 'a' })).result).toEqual({ running: true })
    await client.untilTold('a', 'command/closed')
    const names = new Set(client.told('a').map(({ method }) => method))
    expect([...names].toSorted()).toEqual(['command/closed', 'command/exited', 'command/outputDelta'])
    expect(client.told('a')[0]?.params?.['stream']).toBe('stdout')
    await client.start('b', ['true'])
    await client.untilTold('b', 'command/closed')
  })
})
