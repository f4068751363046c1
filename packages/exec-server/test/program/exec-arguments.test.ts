import { describe, expect, it } from 'vitest'
import { readExecArguments } from '../../src/program/exec-arguments.ts'

const env = { PARLEY_HOME: '/home/me/.parley' }

describe('the arguments of an exec-server', () => {
  it('default to stdio without lingering', () => {
    const onStdio = {
      listen: null,
      connect: null,
      maxSandbox: null,
      roots: [],
      ports: true,
      unixSockets: true,
      tokenFile: '/home/me/.parley/exec-server-token',
      lingerMs: 0,
    }
    expect([[], ['--listen', 'stdio'], ['--listen', 'stdio://']].map((argv) => readExecArguments(argv, env))).toEqual([
      onStdio,
      onStdio,
      onStdio,
    ])
  })

  it('set address, token file and lingering', () => {
    const listen = { kind: 'websocket', host: '127.0.0.1', port: 7000 }
    const address = ['--listen', 'ws://127.0.0.1:7000']
    expect(readExecArguments(address, env)).toMatchObject({ listen, lingerMs: 30_000 })
    expect(readExecArguments([...address, '--no-linger', '--token-file', '/t'], env)).toMatchObject({
      lingerMs: 0,
      tokenFile: '/t',
    })
  })

  it('say the most that clients may do; folders mean a sandbox', () => {
    expect(readExecArguments(['--max-sandbox', 'read-only'], env)).toMatchObject({ maxSandbox: 'read-only', roots: [] })
    const roots = ['/a', '/b']
    expect(readExecArguments(['--root', '/a', '--root', '/b'], env)).toMatchObject({
      maxSandbox: 'workspace-write',
      roots,
    })
  })

  it.each([
    [[], true],
    [['--listen', 'ws://127.0.0.1:7000'], true],
    [['--max-sandbox', 'danger-full-access'], false],
    [['--root', '/a'], false],
    [['--connect', 'wss://a', '--name', 'a', '--token-file', '/t'], false],
    [['--forward', 'no'], false],
    [['--root', '/a', '--forward', 'yes'], true],
    [['--connect', 'wss://a', '--name', 'a', '--token-file', '/t', '--forward', 'yes'], true],
  ])('%j let ports out: %j', (argv, ports) => {
    expect(readExecArguments(argv, env).ports).toBe(ports)
  })

  it.each([
    [[], true],
    [['--max-sandbox', 'read-only'], false],
    [['--max-sandbox', 'danger-full-access'], false],
    [['--root', '/a'], false],
    [['--connect', 'wss://a', '--name', 'a', '--token-file', '/t'], false],
    [['--root', '/a', '--forward', 'yes'], false],
    [['--unix-sockets', 'no'], false],
    [['--max-sandbox', 'read-only', '--unix-sockets', 'yes'], true],
  ])('%j let sandboxed processes use unix sockets: %j', (argv, unixSockets) => {
    expect(readExecArguments(argv, env).unixSockets).toBe(unixSockets)
  })

  it('name the servers that it connects to', () => {
    const argv = [
      '--connect',
      'wss://a:7100, wss://b:7100/',
      '--name',
      'laptop',
      '--token-file',
      '/t',
      '--users',
      'bo,cy',
    ]
    expect(readExecArguments(argv, env)).toMatchObject({
      connect: { servers: ['wss://a:7100', 'wss://b:7100'], name: 'laptop', users: ['bo', 'cy'], ca: null },
      lingerMs: 30_000,
      tokenFile: '/t',
    })
  })

  it.each([
    [['--connect', 'wss://a'], '--connect needs --token-file'],
    [['--connect', 'wss://a', '--token-file', '/t'], '--connect needs --name NAME'],
    [['--connect', 'wss://a', '--token-file', '/t', '--name', 'a/b'], 'not "a/b"'],
    [['--connect', 'wss://a', '--token-file', '/t', '--name', 'a', '--users', 'Bo'], 'not "Bo"'],
    [['--connect', 'https://a', '--token-file', '/t', '--name', 'a'], '--connect takes wss://HOST:PORT'],
    [['--connect', 'ws://a:1', '--token-file', '/t', '--name', 'a'], 'is another machine and has no TLS'],
    [['--connect', 'wss://a', '--listen', 'ws://127.0.0.1:1'], 'It either listens or connects'],
    [['--name', 'laptop'], '--name needs --connect'],
    [['--root', '/a', '--max-sandbox', 'danger-full-access'], '--root limits sandboxed processes only'],
    [['--max-sandbox', 'some'], '--max-sandbox takes read-only'],
    [['--forward', 'maybe'], '--forward takes yes or no'],
    [['--unix-sockets', ''], '--unix-sockets takes yes or no'],
    [['--nonsense'], "Unknown option '--nonsense'"],
    [['--listen', 'http://127.0.0.1:1'], '--listen takes ws://HOST:PORT'],
    [['--token-file', 'x'], '--token-file needs --listen ws://HOST:PORT, or --connect.'],
    [['extra'], "Unexpected argument 'extra'"],
  ])('%j are refused', (argv, sentence) => {
    expect(() => readExecArguments(argv, env)).toThrow(sentence)
  })
})
