import { describe, expect, it } from 'vitest'
import { readExecArguments } from '../../src/programs/arguments.ts'

const env = { PARLEY_HOME: '/home/me/.parley' }

describe('the arguments of an exec-server', () => {
  it('default to stdio without lingering', () => {
    const onStdio = { listen: null, tokenFile: '/home/me/.parley/exec-server-token', lingerMs: 0 }
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

  it.each([
    [['--nonsense'], "Unknown option '--nonsense'"],
    [['--listen', 'http://127.0.0.1:1'], '--listen takes ws://HOST:PORT'],
    [['--token-file', 'x'], '--token-file needs --listen ws://HOST:PORT.'],
    [['extra'], "Unexpected argument 'extra'"],
  ])('%j are refused', (argv, sentence) => {
    expect(() => readExecArguments(argv, env)).toThrow(sentence)
  })
})
