import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { hiddenAround, type MachineCeiling, noCeiling } from '@parley/exec-server/src/sandbox/machine-ceiling.ts'
import { execPlace } from '@parley/exec-server/test/support/in-process.ts'
import { standInSandboxes } from '@parley/exec-server/test/support/stand-in-sandboxes.ts'
import { openSandboxes, type Sandboxes } from '@parley/host'
import { tempWorkspace } from '@parley/testkit'
import { describe, expect, it } from 'vitest'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const full = { type: 'danger-full-access' }

interface Limited extends Partial<MachineCeiling> {
  readonly sandboxes?: Sandboxes
}

/** A machine that lets its clients into the folder `work` only, beside one that nobody may touch. */
async function limitedMachine({ sandboxes = standInSandboxes(), ...ceiling }: Limited = {}) {
  await using stack = new AsyncDisposableStack()
  const files = { 'work/a': 'a', 'work/key': 'TOP-SECRET', 'work/.git/config': 'kept', 'out/victim': 'victim' }
  const { path: root } = stack.use(await tempWorkspace({ files }))
  const at = (name: string) => join(root, name)
  symlinkSync(at('out'), at('work/link'))
  symlinkSync(at('out/fresh'), at('work/dangling'))
  const most: MachineCeiling = {
    ...{ maxSandbox: 'workspace-write', writable: [at('work')], readable: [at('work')] },
    ...{ ports: false, unixSockets: false },
    ...ceiling,
  }
  const place = stack.use(execPlace({ sandboxes, secrets: [at('work/key')], ceiling: most, platform: 'linux' }))
  const client = await place.greeted()
  const disposal = stack.move()
  let count = 0
  const codeOf = ({ error }: Awaited<ReturnType<typeof client.ask>>) => error?.data?.['code'] ?? 'done'
  return {
    ...{ at, client },
    file: async (method: string, path: string, more: object = {}) =>
      codeOf(await client.ask(`fs/${method}`, { path, ...more })),
    copy: async (from: string, to: string) =>
      codeOf(await client.ask('fs/copy', { sourcePath: at(from), destinationPath: at(to), recursive: true })),
    start: async (more: object, argv = ['touch', at('work/ran')]) =>
      codeOf(await client.start(`p${++count}`, argv, { cwd: at('work'), ...more })),
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  }
}

const write = { dataBase64: base64('changed') }

describe('a machine whose owner allows one folder', () => {
  it('starts nothing without a sandbox, whoever asks, and says so with the sentence', async () => {
    await using machine = await limitedMachine()
    for (const sandbox of [undefined, null, full, 'danger-full-access', { mode: 'dangerFullAccess' }])
      expect(await machine.start({ sandbox })).toBe('aboveCeiling')
    const { error } = await machine.client.start('p', ['true'], { cwd: machine.at('work') })
    expect(error).toMatchObject({
      code: -32600,
      message: expect.stringContaining('this machine allows workspace-write at most (--max-sandbox'),
    })
    expect(existsSync(machine.at('work/ran'))).toBe(false)
  })

  it('starts nothing that writes or begins elsewhere, by no link and no spelling', async () => {
    await using machine = await limitedMachine()
    const roots = ['out', 'work/link', 'work/dangling', 'work/../out'].map(machine.at)
    for (const root of [...roots, '/usr'])
      expect(await machine.start({ sandbox: { type: 'workspace-write', writableRoots: [root] } }), root).toBe(
        'outsideRoots',
      )
    for (const cwd of [...roots.slice(0, 2), '/', '/tmp'])
      expect(await machine.start({ cwd, sandbox: { type: 'read-only' } }), cwd).toBe('outsideRoots')
    expect(await machine.start({ sandbox: { type: 'workspace-write', cwd: machine.at('out') } })).toBe('outsideRoots')
    expect(await machine.start({ sandbox: 'workspace-write' })).toBe('done')
  })

  it('reads, writes, makes and removes no file elsewhere, with and without a policy of the client', async () => {
    await using machine = await limitedMachine()
    const paths = ['out/victim', 'work/link/victim', 'work/../out/victim'].map(machine.at)
    for (const path of [...paths, '/etc/hostname'])
      for (const more of [
        {},
        { sandbox: full },
        { sandbox: { type: 'workspace-write', writableRoots: [machine.at('out')] } },
      ]) {
        expect(await machine.file('readFile', path, more), path).toBe('outsideRoots')
        expect(await machine.file('writeFile', path, { ...more, ...write }), path).toBe('outsideRoots')
        expect(await machine.file('remove', path, more), path).toBe('outsideRoots')
      }
    expect(await machine.copy('out/victim', 'work/b')).toBe('outsideRoots')
    for (const to of ['out/b', 'work/link/b', 'work/dangling'])
      expect(await machine.copy('work/a', to), to).toBe('outsideRoots')
    expect([await machine.copy('work/key', 'work/b'), await machine.copy('work/a', 'work/.git/config')]).toEqual([
      'EACCES',
      'EROFS',
    ])
    expect(await machine.copy('work/a', 'work/copy')).toBe('done')
    expect(await machine.file('writeFile', machine.at('work/dangling'), write)).toBe('outsideRoots')
    expect(await machine.file('createDirectory', machine.at('work/link/made'))).toBe('outsideRoots')
    expect(await machine.file('readDirectory', machine.at('out'))).toBe('outsideRoots')
    expect(await machine.file('remove', machine.at('work/link'))).toBe('done')
    expect(readFileSync(machine.at('out/victim'), 'utf8')).toBe('victim')
    expect([existsSync(machine.at('out/fresh')), existsSync(machine.at('out/made'))]).toEqual([false, false])
  })

  it('does not tell what exists elsewhere from what does not', async () => {
    await using machine = await limitedMachine()
    for (const method of ['getMetadata', 'canonicalize', 'readFile']) {
      expect(await machine.file(method, machine.at('out/victim')), method).toBe('outsideRoots')
      expect(await machine.file(method, machine.at('out/none')), method).toBe('outsideRoots')
    }
    expect(await machine.file('getMetadata', '/usr')).toBe('done')
    const guards = await machine.client.ask('fs/guards', { paths: [machine.at('out/victim')], writableRoots: ['/'] })
    expect(guards.result).toEqual({ kinds: ['unknown'] })
  })

  it('tells neither where links elsewhere lead nor why a path there cannot be resolved', async () => {
    await using machine = await limitedMachine()
    symlinkSync(machine.at('out/victim'), machine.at('out/there'))
    symlinkSync('loop', machine.at('out/loop'))
    symlinkSync(machine.at('out/loop'), machine.at('work/to-loop'))
    symlinkSync('own-loop', machine.at('work/own-loop'))
    const paths = ['none', 'there', 'loop', 'loop/x', `${'x'.repeat(300)}/x`].map((name) => machine.at(`out/${name}`))
    for (const path of [...paths, machine.at('work/to-loop'), machine.at('work/to-loop/x')]) {
      const data = { code: 'outsideRoots', path }
      const message = `${path} lies outside of the folders that this machine allows (--root of its exec-server): nothing was done`
      for (const method of ['getMetadata', 'canonicalize', 'readFile', 'readDirectory', 'writeFile']) {
        const answer = await machine.client.ask(`fs/${method}`, { path, ...write })
        expect(answer.error, method).toEqual({ code: -32600, message, data })
      }
      const started = await machine.client.start('p', ['true'], { cwd: path, sandbox: 'read-only' })
      expect(started.error).toEqual({ code: -32600, message, data })
      const guards = await machine.client.ask('fs/guards', { paths: [path], writableRoots: [machine.at('work')] })
      expect(guards.result).toEqual({ kinds: ['unknown'] })
    }
    const own = machine.at('work/own-loop')
    expect(await machine.file('getMetadata', own)).toBe('ELOOP')
    const { error } = await machine.client.start('p', ['true'], { cwd: own, sandbox: 'read-only' })
    expect(error).toMatchObject({ data: { code: 'spawnFailed', errno: 'ELOOP', subject: 'cwd' } })
    expect(error?.message).toBe(`${own}: too many symbolic links encountered`)
  })

  it('keeps secrets and what programs run within its folder from every client', async () => {
    await using machine = await limitedMachine()
    expect(await machine.file('readFile', machine.at('work/key'), { sandbox: full })).toBe('EACCES')
    expect(await machine.file('writeFile', machine.at('work/.git/config'), { ...write, sandbox: full })).toBe('EROFS')
    expect(await machine.file('remove', machine.at('work/.git'), { recursive: true })).toBe('EROFS')
    // The order in which the file system lists a folder decides which of its entries is refused first.
    expect(await machine.file('remove', machine.at('work'), { recursive: true })).toMatch(/^(EACCES|EROFS)$/)
    expect(await machine.file('writeFile', machine.at('work/a'), write)).toBe('done')
    expect(readFileSync(machine.at('work/a'), 'utf8')).toBe('changed')
  })

  it('hides everything else from what it starts, and shows the folder again', async () => {
    const sandboxes = standInSandboxes()
    await using machine = await limitedMachine({ sandboxes })
    mkdirSync(machine.at('work/sub'))
    await machine.start({ sandbox: { type: 'read-only' } })
    await machine.start({ sandbox: { type: 'workspace-write', writableRoots: [machine.at('work')] } })
    await machine.start({ sandbox: { type: 'workspace-write', writableRoots: [machine.at('work/sub')] } })
    const [first, second, third] = sandboxes.prepared
    expect(first?.masked).toEqual(expect.arrayContaining(['/root', '/home', '/var', machine.at('work/key')]))
    expect(first?.masked).not.toEqual(expect.arrayContaining(['/usr']))
    expect([first, second, third].map((limits) => limits?.readable)).toEqual([
      [machine.at('work')],
      [],
      [machine.at('work')],
    ])
  })
})

describe('what a limited machine hides', () => {
  it('is all that services and people keep in /run, too, but for what programs need', async () => {
    const inRun = readdirSync('/run', { withFileTypes: true }).filter((entry) => !entry.isSymbolicLink())
    const hidden = await hiddenAround({ readable: ['/srv/app'] }, true)
    const shown = inRun.map(({ name }) => `/run/${name}`).filter((path) => !hidden.includes(path))
    expect(
      shown.filter(
        (path) => !/^.run.(?:.*-system|.*nscd|NetworkManager|opengl.*|resolvconf|systemd|wrappers)$/.test(path),
      ),
    ).toEqual([])
    expect(await hiddenAround({ readable: null }, true)).toEqual([])
  })
})

describe('a machine whose owner allows reading only', () => {
  it('changes no file and starts nothing that could', async () => {
    await using machine = await limitedMachine({ maxSandbox: 'read-only', writable: [], readable: null })
    for (const method of ['writeFile', 'createDirectory', 'remove'])
      expect(await machine.file(method, machine.at('work/a'), write), method).toBe('aboveCeiling')
    expect(await machine.copy('work/a', 'work/b')).toBe('aboveCeiling')
    expect(await machine.start({ sandbox: 'workspace-write' })).toBe('aboveCeiling')
    expect(await machine.start({ sandbox: 'read-only' })).toBe('done')
    expect(await machine.file('readFile', machine.at('out/victim'))).toBe('done')
    const { result } = await machine.client.ask('environment/info')
    expect(result).toMatchObject({ sandbox: { reason: 'It is full. Its owner allows read-only at most.' } })
  })
})

/** Every spelling by which a policy asks for unix sockets. */
const socketsAsked = [
  { type: 'read-only', unixSockets: true },
  { mode: 'readOnly', unix_sockets: true },
  { type: 'workspace-write', unixSockets: true, networkAccess: true },
  { sandboxPolicy: { type: 'read-only', unixSockets: true } },
]

describe('unix sockets on a machine', () => {
  it.each([
    ['whose owner switched them off', {}, socketsAsked],
    ['that only reads', { maxSandbox: 'read-only' }, socketsAsked.slice(0, 2)],
    ['that limits nothing else', { ...noCeiling, unixSockets: false }, socketsAsked],
  ] as const)('%s are refused by name in every spelling, and nothing is started', async (_whose, ceiling, asked) => {
    const sandboxes = standInSandboxes()
    await using machine = await limitedMachine({ ...ceiling, sandboxes })
    for (const sandbox of asked) {
      const { error } = await machine.client.start('p', ['touch', machine.at('work/ran')], {
        cwd: machine.at('work'),
        sandbox,
      })
      expect(error, JSON.stringify(sandbox)).toMatchObject({
        code: -32600,
        message: expect.stringContaining('can allow them with --unix-sockets yes'),
        data: { code: 'unixSocketsNotAllowed' },
      })
    }
    expect(sandboxes.prepared).toEqual([])
    expect(await machine.start({ sandbox: { type: 'read-only', unixSockets: false } })).toBe('done')
  })

  it('whose owner switched them on are given to whoever asks', async () => {
    const sandboxes = standInSandboxes()
    await using machine = await limitedMachine({ unixSockets: true, sandboxes })
    for (const sandbox of [...socketsAsked, 'read-only']) expect(await machine.start({ sandbox })).toBe('done')
    expect(sandboxes.prepared.map(({ unixSockets }) => unixSockets)).toEqual([true, true, true, true, false])
  })
})

const sandboxes = openSandboxes({ cacheFile: null })
const { enforcement, reason } = await sandboxes.report()

describe.skipIf(enforcement === 'none')(`a service of a limited machine, in earnest (here: ${reason})`, () => {
  it('is reached by its socket after the yes of the owner alone, and the same call without sockets runs', async () => {
    const call =
      'import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); print(s.recv(9).decode())'
    for (const unixSockets of [false, true]) {
      await using machine = await limitedMachine({ sandboxes, readable: null, maxSandbox: 'read-only', unixSockets })
      const socket = machine.at('work/service')
      const service = createServer((connection) => connection.end('SERVICE'))
      await new Promise<void>((resolve) => service.listen(socket, resolve))
      const argv = ['python3', '-c', call, socket]
      const more = { cwd: machine.at('work'), env: { PATH: '/usr/bin:/bin' } }
      const asked = await machine.client.start('with', argv, {
        ...more,
        sandbox: { type: 'read-only', unixSockets: true },
      })
      expect(asked.error?.data?.['code'] ?? 'done').toBe(unixSockets ? 'done' : 'unixSocketsNotAllowed')
      if (unixSockets) await machine.client.untilTold('with', 'process/closed')
      await machine.client.run('without', argv, { ...more, sandbox: 'read-only' })
      expect([machine.client.text('with', 'stdout'), machine.client.text('without', 'stdout')]).toEqual([
        unixSockets ? 'SERVICE\n' : '',
        '',
      ])
      service.close()
    }
  })
})

describe.skipIf(enforcement !== 'full')(`a process on a limited machine, in earnest (here: ${reason})`, () => {
  it('reads its folder and the system, and nothing of what lies elsewhere', async () => {
    await using machine = await limitedMachine({ sandboxes })
    const { at, client } = machine
    writeFileSync(at('out/more'), 'MORE')
    const script = `cat a ../out/victim key; echo; ls ${import.meta.dirname} /home /root /var; test -x /bin/sh && echo shell; echo b > a; cat a`
    await client.run('r', ['/bin/sh', '-c', script], {
      cwd: at('work'),
      sandbox: 'workspace-write',
      env: { PATH: '/usr/bin:/bin' },
    })
    expect(client.text('r', 'stdout').replaceAll(/^\/.*:\n|^\n/gm, '')).toBe('a\nshell\nb\n')
    await client.run('s', ['/bin/sh', '-c', 'cat a; echo c > a'], { cwd: at('work'), sandbox: 'read-only' })
    expect(client.text('s', 'stdout')).toBe('b\n')
  })
})
