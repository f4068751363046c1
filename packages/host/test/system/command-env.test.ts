import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commandEnv, type EnvRules } from '../../src/index.ts'

const given = {
  PATH: '/bin',
  HOME: '/home/u',
  LC_ALL: 'C',
  XDG_CACHE_HOME: '/c',
  LANG: 'C',
  AWS_SECRET_ACCESS_KEY: 's',
  NODE_OPTIONS: '-r x',
  LD_PRELOAD: 'x.so',
  PATHS: 'no',
  CARGO_HOME: '/cargo',
  EMPTY: undefined,
}
const always = { PATH: '/bin', HOME: '/home/u', LC_ALL: 'C', XDG_CACHE_HOME: '/c', LANG: 'C' }

const cases: readonly (readonly [string, EnvRules, Record<string, string>])[] = [
  ['only the allow list passes by itself', {}, always],
  ['a name in include passes', { include: ['NODE_OPTIONS'] }, { ...always, NODE_OPTIONS: '-r x' }],
  ['a glob in include passes what it matches', { include: ['CARGO_*'] }, { ...always, CARGO_HOME: '/cargo' }],
  ['a question mark stands for one character', { include: ['PATH?'] }, { ...always, PATHS: 'no' }],
  ['a glob is matched whole', { include: ['CARGO', 'OPTIONS'] }, always],
  ['other pattern characters stand for themselves', { include: ['CARG.*', '[A-Z]*', '.+'] }, always],
  ['exclude wins over include', { include: ['CARGO_*'], exclude: ['*_HOME'] }, pick('PATH', 'HOME', 'LC_ALL', 'LANG')],
  ['exclude wins over the allow list', { exclude: ['LC_*', 'XDG_*'] }, pick('PATH', 'HOME', 'LANG')],
  [
    'a secret value is held back, unless its name was asked for',
    { include: ['CARGO_*'], isSecret: (value) => ['/c', '/cargo'].includes(value) },
    { ...pick('PATH', 'HOME', 'LC_ALL', 'LANG'), CARGO_HOME: '/cargo' },
  ],
  ['set adds and replaces', { set: { CI: '1', PATH: '/x' } }, { ...always, CI: '1', PATH: '/x' }],
  ['set is not held back by exclude', { exclude: ['*'], set: { PATH: '/x' } }, { PATH: '/x' }],
]

function pick(...names: (keyof typeof always)[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, always[name]]))
}

describe('commandEnv', () => {
  it.each(cases)('%s', (_title, rules, expected) => {
    expect(commandEnv(given, rules)).toEqual(expected)
  })

  it('passes nothing that include does not name, whatever it is called', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (name) => {
        const passed = commandEnv({ [`X${name}`]: 'secret' }, { include: ['Y*'] })
        expect(Object.keys(passed).filter((key) => !key.startsWith('XDG_'))).toEqual([])
      }),
    )
  })
})
