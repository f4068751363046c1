import { describe, expect, test } from 'vitest'
import {
  collectConfig,
  collectFiles,
  collectList,
  overridesOf,
  parseCount,
  parseDuration,
  typedFlags,
  typedServer,
} from '../../src/cli/flags.ts'

describe('flags become overrides', () => {
  test('only what was given is set', () => {
    expect(overridesOf({}, () => '/here')).toEqual({})
  })

  test('each under the name of the protocol', () => {
    const flags = {
      model: 'm',
      effort: 'high',
      sandbox: 'read-only',
      askForApproval: 'never',
      environment: 'box',
      profile: 'work',
      config: { 'model_providers.x.base_url': 'http://127.0.0.1' },
    } as const
    expect(overridesOf(flags, () => '/here')).toEqual({
      model: 'm',
      effort: 'high',
      sandbox: 'read-only',
      approvalPolicy: 'never',
      environment: 'box',
      profile: 'work',
      config: { 'model_providers.x.base_url': 'http://127.0.0.1' },
    })
  })

  test('a mode names sandbox and policy, and stands beside neither', () => {
    expect(overridesOf({ mode: 'plan' }, () => '/here')).toEqual({ sandbox: 'read-only', approvalPolicy: 'on-request' })
    const both = [{ sandbox: 'read-only' }, { askForApproval: 'never' }] as const
    for (const flag of both) expect(() => overridesOf({ mode: 'plan', ...flag })).toThrow(/--mode stands for/)
  })

  test('flags of Codex stand for sandbox and policy, and beside none of them', () => {
    const never = { sandbox: 'danger-full-access', approvalPolicy: 'never' }
    expect(overridesOf({ dangerouslyBypassApprovalsAndSandbox: true }, () => '/here')).toEqual(never)
    const edit = { sandbox: 'workspace-write', approvalPolicy: 'on-request' }
    expect(overridesOf({ fullAuto: true }, () => '/here')).toEqual(edit)
    expect(() => overridesOf({ fullAuto: true, dangerouslyBypassApprovalsAndSandbox: true })).toThrow(/give one/)
    const others = [{ sandbox: 'read-only' }, { askForApproval: 'never' }, { mode: 'plan' }] as const
    for (const other of others)
      for (const flag of [{ fullAuto: true }, { dangerouslyBypassApprovalsAndSandbox: true }])
        expect(() => overridesOf({ ...flag, ...other })).toThrow(/stand for --sandbox and --ask-for-approval/)
  })

  test('--oss and --local-provider name a local provider', () => {
    expect(overridesOf({ oss: true }, () => '/here')).toEqual({ modelProvider: 'ollama' })
    expect(overridesOf({ oss: true, localProvider: 'lmstudio' }, () => '/here')).toEqual({ modelProvider: 'lmstudio' })
  })

  test('paths are meant from where the command was typed, also with --cd', () => {
    const flags = { cd: 'sub', addDir: ['../b', '/abs'], policy: 'ci.toml' }
    expect(overridesOf(flags, () => '/here')).toEqual({
      cwd: '/here/sub',
      environmentCwd: 'sub',
      addDirs: ['/b', '/abs'],
      policyFile: '/here/ci.toml',
    })
  })
})

describe('a repeated -c', () => {
  test('adds to the ones before; the last of a key wins', () => {
    const first = collectConfig('model = gpt-5')
    expect(collectConfig('model=other', collectConfig('a.b="x=y"', first))).toEqual({ model: 'other', 'a.b': '"x=y"' })
  })

  test.each(['model', '=x', ''])('%j is refused', (text) => {
    expect(() => collectConfig(text)).toThrow('It must be key=value')
  })
})

test('a repeated list flag keeps its order', () => {
  expect(collectList('b', collectList('a'))).toEqual(['a', 'b'])
})

describe('a duration', () => {
  test.each([
    ['90', 90_000],
    ['90s', 90_000],
    ['1.5s', 1500],
    ['5m', 300_000],
    ['1h', 3_600_000],
  ])('%s is %i ms', (text, durationMs) => {
    expect(parseDuration(text)).toBe(durationMs)
  })

  test('longer than a timer can hold is the longest there is', () => {
    expect(parseDuration('9000h')).toBe(2 ** 31 - 1)
  })

  test.each(['', '0', '0s', '-5', '5 m', 'abc', '5d', '1e3'])('%j is refused', (text) => {
    expect(() => parseDuration(text)).toThrow('It must be a time')
  })
})

describe('a count', () => {
  test.each(['1', '42'])('%s is one', (text) => {
    expect(parseCount(1)(text)).toBe(Number(text))
  })

  test.each(['0', '-1', '1.5', 'x', '', '0x10', '99999999999999999999'])('%j is refused', (text) => {
    expect(() => parseCount(1)(text)).toThrow('It must be a whole number from 1 on')
  })
})

describe('files', () => {
  test('may be named one by one or with commas between', () => {
    expect(collectFiles('c.png', collectFiles('a.png,b.png'))).toEqual(['a.png', 'b.png', 'c.png'])
    expect(collectFiles('a.png,')).toEqual(['a.png'])
  })
})

test('a command that somebody is told to type has the flags that were given, quoted where a shell needs it', () => {
  const flags = { '--cd': '/a b', '--environment': undefined, '--check': ['npm test', 'tsc'], '--check-rounds': 2 }
  expect(typedFlags(flags)).toBe(" --cd '/a b' --check 'npm test' --check tsc --check-rounds 2")
  const server = { server: 'ws://a:1', tokenFile: 'ada', allowUnencrypted: true }
  expect(typedServer(server)).toBe(' --server ws://a:1 --token-file ada --allow-unencrypted')
  expect(typedServer({})).toBe('')
})
