import { describe, expect, it } from 'vitest'
import {
  readAcpArguments,
  readAppServerArguments,
  readMcpArguments,
  readServerArguments,
} from '../../src/programs/arguments.ts'

describe('the arguments of a server', () => {
  it('make it a server for stdin when there are none', () => {
    expect(readServerArguments([])).toEqual({
      role: 'client',
      listen: [],
      tokenFile: null,
      tls: null,
      ca: null,
      advertise: null,
      idleExitMs: null,
      recordTo: null,
      store: null,
      users: null,
      metrics: false,
      logsJson: false,
      page: false,
      paced: true,
      isDaemon: false,
      ceiling: { maxSandbox: null, allowNever: false, profile: null },
    })
  })

  it('make it a service with --listen', () => {
    const args = [
      '--listen',
      'ws://127.0.0.1:0',
      '--listen',
      'unix:/run/p.sock',
      '--token-file',
      '/t',
      '--idle-exit=2h',
    ]
    expect(readServerArguments(args)).toMatchObject({
      role: 'service',
      listen: [
        { kind: 'websocket', host: '127.0.0.1', port: 0 },
        { kind: 'socket', path: '/run/p.sock' },
      ],
      tokenFile: '/t',
      idleExitMs: 7_200_000,
    })
    expect(readServerArguments(['--listen', 'ws://[::1]:80'])).toMatchObject({ listen: [{ host: '::1' }] })
    const secure = [
      '--listen',
      'wss://0.0.0.0:443',
      '--tls-cert',
      '/c',
      '--tls-key',
      '/k',
      '--advertise',
      'wss://a:443/',
    ]
    expect(readServerArguments(secure)).toMatchObject({
      listen: [{ kind: 'websocket', host: '0.0.0.0', port: 443, isSecure: true }],
      tls: { certFile: '/c', keyFile: '/k' },
      advertise: 'wss://a:443',
    })
  })

  it('set its ceiling', () => {
    const args = ['--daemon', '--max-sandbox', 'danger-full-access', '--allow-never', '--profile', 'open']
    expect(readServerArguments(args)).toMatchObject({
      ceiling: { maxSandbox: 'danger-full-access', allowNever: true, profile: 'open' },
    })
    expect(readMcpArguments(args.slice(1))).toMatchObject({ ceiling: readServerArguments(args).ceiling })
  })

  it('end an idle daemon after half an hour, a foreground service never', () => {
    expect(readServerArguments(['--daemon'])).toMatchObject({ role: 'launcher' })
    expect(readServerArguments(['--daemon-process'])).toMatchObject({ role: 'service', idleExitMs: 1_800_000 })
    expect(readServerArguments(['--listen', 'unix:/s'])).toMatchObject({ idleExitMs: null })
    expect(readServerArguments(['--daemon-process', '--idle-exit', 'never'])).toMatchObject({ idleExitMs: null })
  })

  it.each([
    [['--listen', 'wss://a:1', '--tls-cert', '/c'], 'go together'],
    [['--listen', 'ws://a:1', '--tls-cert', '/c', '--tls-key', '/k'], 'go together'],
    [['--listen', 'ws://a:1', '--advertise', 'http://a:1'], '--advertise takes'],
    [['--listen', 'unix:/s', '--advertise', 'ws://a:1'], '--advertise needs'],
    [['--log-format', 'xml'], '--log-format takes json'],
    [['--log-format', 'json'], '--log-format json writes to stderr'],
    [['--lisen', 'unix:/s'], "Unknown option '--lisen'"],
    [['stdio'], 'stdio'],
    [['--record'], '--record'],
    [['--daemon=yes'], '--daemon'],
    [['--listen', '127.0.0.1:80'], '--listen takes ws://HOST:PORT, wss://HOST:PORT or unix:PATH, not "127.0.0.1:80".'],
    [['--listen', 'ws://localhost'], '--listen takes'],
    [['--listen', 'ws://localhost:70000'], '--listen takes'],
    [['--listen', 'unix:'], '--listen takes'],
    [['--daemon', '--idle-exit', '30'], '--idle-exit takes a time such as 90s, 30m or 2h, or never, not "30".'],
    [['--daemon', '--idle-exit', '1000h'], '--idle-exit takes'],
    [['--idle-exit', '30m'], '--idle-exit needs --daemon or --listen.'],
    [['--max-sandbox', 'full'], '--max-sandbox takes read-only, workspace-write, danger-full-access, not "full".'],
    [['--allow-never=yes'], '--allow-never'],
    [['--daemon', '--token-file', '/t'], '--token-file needs --listen ws://HOST:PORT.'],
  ])('%j are refused in one sentence', (argv, sentence) => {
    expect(() => readServerArguments(argv)).toThrow(sentence)
  })
})

it.each([
  ['mcp-server', readMcpArguments],
  ['app-server', readAppServerArguments],
  ['acp', readAcpArguments],
] as const)('%s goes to servers of a team with the token of a file', (_, read) => {
  const { server } = read(['--server', 'wss://a:1,wss://b:2', '--token-file', '/t', '--ca-file', '/ca'])
  expect(server).toEqual({
    servers: ['wss://a:1,wss://b:2'],
    tokenFile: '/t',
    caFile: '/ca',
    allowUnencrypted: undefined,
  })
  expect(read([]).server).toBeNull()
  expect(() => read(['--ca-file', '/ca'])).toThrow('--server')
  expect(() => read(['--token-file', '/t'])).toThrow('--server')
})
