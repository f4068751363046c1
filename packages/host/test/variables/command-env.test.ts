import { realpathSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commandEnv, type EnvRules, heldVariables, programsReading, toolchainVariables } from '../../src/index.ts'

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

/** Variables of a toolchain with a command that may change /work, and why each is held back. */
const toolchains: readonly (readonly [name: string, value: string, held: string | null])[] = [
  ['RUSTUP_HOME', '/usr/local/rustup', null],
  ['CARGO_HOME', '/usr/local/cargo', null],
  ['GOPATH', '/home/u/go:/work/go', null],
  ['JAVA_HOME', '/opt/java', null],
  ['VIRTUAL_ENV', '/work/.venv', null],
  ['PYTHONPATH', 'src:.', null],
  ['NODE_ENV', 'test', null],
  ['CI', '1', null],
  ['GOPROXY', 'https://proxy.example/go,direct', null],
  ['GOPROXY', 'https://me:pass@proxy.example/go', 'secret'],
  ['GOPROXY', 'off|https://token@proxy.example', 'secret'],
  ['RUSTFLAGS', '--cfg secret="known"', 'secret'],
  ['LD_LIBRARY_PATH', '/opt/cuda/lib64:/usr/local/lib', null],
  ['LD_LIBRARY_PATH', '/work/build/lib', 'changeable'],
  ['LD_LIBRARY_PATH', '/opt/lib:', 'changeable'],
  ['LD_LIBRARY_PATH', '/opt/lib:lib', 'changeable'],
  ['LD_LIBRARY_PATH', '/opt/lib:/tmp/lib', 'changeable'],
  ['LD_LIBRARY_PATH', '/opt/../work/lib', 'changeable'],
  ['LD_LIBRARY_PATH', '/workshop/lib', null],
  ['LD_PRELOAD', '/opt/lib/x.so', 'notListed'],
  ['NODE_OPTIONS', '--require x', 'notListed'],
  ['DATABASE_URL', 'postgres://h/d', 'notListed'],
]

describe('variables of toolchains', () => {
  const rules = { changeable: ['/work'], isSecret: (value: string) => value.includes('known') }

  it.each(toolchains)('%s=%s', (name, value, held) => {
    expect(heldVariables({ [name]: value }, rules)).toEqual(held === null ? [] : [{ name, because: held }])
    expect(commandEnv({ [name]: value }, rules)).toEqual(held === null ? { [name]: value } : {})
  })

  it.each(['/bin', '/etc'])('are followed through links where they list folders to load from: %s', (link) => {
    // One of the two is a link on most machines.
    const isHeld = (path: string, changeable: readonly string[]) =>
      heldVariables({ LD_LIBRARY_PATH: path }, { changeable }).length === 1
    const real = realpathSync(link)
    expect([isHeld(link, [real]), isHeld(`${link}/none`, [real]), isHeld(link, [])]).toEqual([true, true, false])
  })

  it('reach only what may load what commands change', () => {
    const places = { RUSTUP_HOME: '/r', PYTHONPATH: '/work' }
    expect(commandEnv(places, {})).toEqual({})
    expect(commandEnv(places, { changeable: [] })).toEqual(places)
  })

  it('are passed on by name whatever they hold, and held back by name', () => {
    const given = { GOPROXY: 'https://me:pass@h', CI: '1', PWD: '/work', SHLVL: '2', EMPTY: undefined }
    const chosen = { ...rules, include: ['GOPROXY'], exclude: ['CI'] }
    expect(commandEnv(given, chosen)).toEqual({ GOPROXY: 'https://me:pass@h' })
    expect(heldVariables(given, chosen)).toEqual([{ name: 'CI', because: 'excluded' }])
  })

  it('are each on one line of the table, with its programs, and have no secret name', () => {
    expect(programsReading('CARGO_HOME')).toContain('cargo')
    expect(programsReading('DATABASE_URL')).toEqual([])
    const names = [...toolchainVariables]
    expect(names.filter((name) => !/^[A-Za-z0-9_]+$/.test(name))).toEqual([])
    expect(names.filter((name) => /TOKEN|SECRET|PASS|KEY|CREDENTIAL|AUTH|OPTIONS|PRELOAD/i.test(name))).toEqual([])
  })
})
