import { describe, expect, it } from 'vitest'
import { readExecArguments } from '../../src/programs/arguments.ts'

const env = { PARLEY_HOME: '/home/me/.parley' }

describe('the arguments of an exec-server', () => {
  it('are none for a client on stdio, who cannot come back', () => {
    const onStdio = { listen: null, tokenFile: '/home/me/.parley/exec-server-token', lingerMs: 0 }
    expect([[], ['--listen', 'stdio'], ['--listen', 'stdio://']].map((argv) => readExecArguments(argv, env))).toEqual([
      onStdio,
      onStdio,
      onStdio,
    ])
  })

  it('say where to listen, with which token, and whether to wait for who has gone', () => {
    const listen = { kind: 'websocket', host: '127.0.0.1', port: 7000 }
    const address = ['--listen', 'ws://127.0.0.1:7000']
    expect(readExecArguments(address, env)).toMatchObject({ listen, lingerMs: 30_000 })
    expect(readExecArguments([...address, '--no-linger', '--token-file', '/t'], env)).toMatchObject({
      lingerMs: 0,
      tokenFile: '/t',
    })
  })

  it.each([
    [['--nonsense'], "Unknown option '--nonsense'"],
    [['--listen', 'http://127.0.0.1:1'], '--listen takes ws://HOST:PORT'],
    [['--token-file', 'x'], '--token-file needs --listen ws://HOST:PORT.'],
    [['extra'], "Unexpected argument 'extra'"],
  ])('%j are refused', (argv, sentence) => {
    expect(() => readExecArguments(argv, env)).toThrow(sentence)
  })
})
