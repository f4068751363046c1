import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createMark, openHost, openSandboxes, secretPlaces, secretVariables } from '@parley/host'
import { afterAll, describe, expect, it } from 'vitest'
import { diskFiles, isSecret, secretPaths } from '../../src/index.ts'

const host = openHost()
afterAll(() => host.close())
const sandboxes = openSandboxes({ cacheFile: null })
const { enforcement, reason } = await sandboxes.report()
const isFull = enforcement === 'full' && process.platform === 'linux'
const whyNot = isFull ? '' : ` (${reason})`

function openHome() {
  // Not below /tmp, which commands have for themselves.
  const folder = realpathSync(mkdtempSync('/var/tmp/parley-secrets-'))
  const at = (name: string) => join(folder, name)
  for (const name of ['home', 'work', 'scratch', 'bin']) mkdirSync(at(name), { mode: 0o700 })
  return {
    at,
    put(name: string, text: string) {
      mkdirSync(dirname(at(name)), { recursive: true })
      writeFileSync(at(name), text)
    },
    paths: (added: readonly string[] = [], more: Partial<Parameters<typeof secretPaths>[0]> = {}) =>
      secretPaths({ home: at('home'), parleyHome: at('home/.parley'), added, ...more }, diskFiles),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function run(
  home: ReturnType<typeof openHome>,
  mode: 'read-only' | 'workspace-write',
  script: string,
  more: Parameters<typeof home.paths>[1] = {},
) {
  const limits = {
    mode,
    writableRoots: [home.at('work')],
    network: false,
    unixSockets: false,
    masked: await home.paths([], more),
    scratch: home.at('scratch'),
  }
  const sandbox = await sandboxes.prepare(limits)
  const env = { PATH: `${home.at('bin')}:/usr/bin:/bin`, HOME: home.at('home') }
  const spec = { argv: ['/bin/sh', '-c', script], cwd: home.at('work'), env, mark: createMark() }
  const { exitCode, head, tail } = await host.runCommand(spec, { sandbox }).ended
  sandbox.release?.()
  return { exitCode, text: Buffer.concat([head, tail]).toString() }
}

/** Places of which a file is made as it is, the others as folders with a file. */
const isFileName = (place: string) =>
  /\.(?:xml|json|toml|cnf|conf|kdbx|config|properties)$|rc$|history$|credentials$/.test(place)

describe('the places of secrets', () => {
  it('have a source, are relative, and stand once', () => {
    const paths = secretPlaces.flatMap(({ paths: each }) => each)
    expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([])
    expect(
      paths.filter((path) => path === '' || path.startsWith('/') || path.includes('..') || path !== path.trim()),
    ).toEqual([])
    expect(secretPlaces.filter(({ of, source }) => of === '' || source === '')).toEqual([])
    expect(paths.length).toBeGreaterThan(200)
  })

  it('leave out what builds read', () => {
    const paths = new Set(secretPlaces.flatMap(({ paths: each }) => each))
    const needed = [
      '.m2',
      '.m2/repository',
      '.cargo',
      '.cargo/registry',
      '.npm',
      '.gradle',
      '.gradle/caches',
      '.ivy2',
      '.cache',
      '.config',
      '.local',
      '.local/share',
      '.rustup',
      '.gitconfig',
      '.nvm',
      '.pyenv',
      'go',
    ]
    expect(needed.filter((path) => paths.has(path))).toEqual([])
  })

  it('are secret with all below them, whatever the case, in other homes too', async () => {
    using home = openHome()
    const paths = await home.paths()
    for (const name of ['.aws', '.aws/x/y', '.AWS/credentials', '.config/gh/hosts.yml', '.m2/settings.xml', '.mozilla'])
      expect([name, isSecret(home.at(`home/${name}`), paths)]).toEqual([name, true])
    for (const name of [
      '.awsome',
      '.config',
      '.config/ghx',
      '.m2',
      '.m2/repository/a.jar',
      'work',
      '.cargo/config.toml',
    ])
      expect([name, isSecret(home.at(`home/${name}`), paths)]).toEqual([name, false])
    expect(isSecret('/home/other/.config/BraveSoftware/x', paths)).toBe(true)
    expect(isSecret('/home/other/.config/nvim', paths)).toBe(false)
  })

  it('are those of links too, of patterns, and those the user added', async () => {
    using home = openHome()
    home.put('elsewhere/key', 'x')
    home.put('home/.m2/settings-work.xml', '<settings/>')
    home.put('home/.foo_history', 'x')
    home.put('home/keys/id', 'x')
    symlinkSync(home.at('elsewhere'), home.at('home/.aws'))
    const paths = await home.paths([home.at('home/keys')])
    for (const name of ['elsewhere/key', 'home/.m2/settings-work.xml', 'home/.foo_history', 'home/keys/id'])
      expect([name, isSecret(home.at(name), paths)]).toEqual([name, true])
  })
})

describe('the variables that move places of secrets', () => {
  it('have a source and stand once, for a place or a folder with places', () => {
    const places = secretPlaces.flatMap(({ paths }) => paths)
    const keys = secretVariables.map(({ name, below, insteadOf }) => `${name}/${below}|${insteadOf}`)
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
    const isKnown = (path: string) =>
      places.some((place) => `${path}/`.startsWith(`${place}/`) || place.startsWith(`${path}/`))
    expect(secretVariables.filter(({ source, insteadOf }) => source === '' || !isKnown(insteadOf))).toEqual([])
  })

  it('move a file, the files of a list, a folder, and what lies in a folder', async () => {
    using home = openHome()
    symlinkSync(home.at('scratch'), home.at('linked'))
    const env = {
      XDG_CONFIG_HOME: home.at('xc'),
      XDG_DATA_HOME: `${home.at('xd')}/`,
      CARGO_HOME: home.at('cargo'),
      GNUPGHOME: home.at('linked'),
      KUBECONFIG: `${home.at('k1')}:${home.at('k2')}:`,
      AWS_SHARED_CREDENTIALS_FILE: '~/keys/aws',
      PGPASSFILE: 'pass',
      HISTFILE: '/dev/null',
      ZDOTDIR: home.at('z'),
      CF_HOME: home.at('cf'),
    }
    const paths = await home.paths([], { env, cwd: home.at('work') })
    const hidden = ['xc/gh/hosts.yml', 'xc/sops', 'xd/keyrings/x', 'cargo/credentials.toml', 'linked', 'scratch/key']
    const alsoHidden = ['k1', 'k2', 'home/keys/aws', 'work/pass', 'z/.zsh_history', 'cf/.cf/config.json', 'home/.ssh']
    for (const name of [...hidden, ...alsoHidden]) expect([name, isSecret(home.at(name), paths)]).toEqual([name, true])
    for (const name of ['xc', 'xc/nvim', 'xd', 'cargo', 'cargo/registry', 'z/.zshrc', 'cf', 'home/keys', 'work'])
      expect([name, isSecret(home.at(name), paths)]).toEqual([name, false])
    expect(paths).not.toContain('/dev/null')
  })

  it('hide neither a home, nor a folder around it, nor a folder of the system', async () => {
    using home = openHome()
    symlinkSync(home.at('.'), home.at('work/around'))
    const usual = await home.paths()
    for (const value of [
      '/',
      '/tmp',
      '/usr/bin',
      home.at('home'),
      home.at('.'),
      home.at('work/around'),
      '~',
      'relative',
    ])
      expect([value, await home.paths([], { env: { GNUPGHOME: value, DOCKER_CONFIG: value } })]).toEqual([value, usual])
  })

  it('leave the places of every home of the user hidden, and what parley keeps there', async () => {
    using home = openHome()
    home.put('listed/.ssh/id', 'x')
    const paths = await home.paths([], { otherHomes: [home.at('listed'), home.at('home')] })
    for (const name of ['listed/.ssh/id', 'listed/.aws/credentials', 'listed/.parley/sessions', 'home/.ssh'])
      expect([name, isSecret(home.at(name), paths)]).toEqual([name, true])
  })
})

describe.skipIf(!isFull)(`a command in the full sandbox${whyNot}`, { timeout: 60_000 }, () => {
  it.each(['read-only', 'workspace-write'] as const)('reads nothing in any of the places in %s', async (mode) => {
    using home = openHome()
    const places = secretPlaces.flatMap(({ paths }) => paths).map((place) => place.replace('*', 'some'))
    for (const place of places) home.put(`home/${place}${isFileName(place) ? '' : '/inner'}`, 'hidden-content')
    home.put('home/plain', 'open-content')
    const { text } = await run(home, mode, `grep -rl hidden-content "$HOME"; cat "$HOME/plain"`)
    expect(text).toBe('open-content')
  })

  it('reads nothing where variables or another home have the places', async () => {
    using home = openHome()
    for (const name of ['xc/gh/hosts.yml', 'gnupg/key', 'k1', 'k2', 'cargo/credentials.toml', 'listed/.ssh/id'])
      home.put(name, 'hidden-content')
    home.put('cargo/config.toml', 'open-content')
    const [one, two] = [home.at('k1'), home.at('k2')]
    const env = {
      XDG_CONFIG_HOME: home.at('xc'),
      GNUPGHOME: home.at('gnupg'),
      KUBECONFIG: `${one}:${two}`,
      CARGO_HOME: home.at('cargo'),
    }
    const script = `grep -rl hidden-content "${home.at('.')}"; cat "${home.at('cargo/config.toml')}"`
    const { text } = await run(home, 'read-only', script, { env, otherHomes: [home.at('listed')] })
    expect(text).toBe('open-content')
  })

  // Tools of the shape of the real ones: they read settings if they are there, and fail where these cannot be parsed.
  const tools = {
    maven: {
      tool: `for file in "$HOME/.m2/settings.xml" "$HOME/.m2/settings-security.xml"; do
  [ -e "$file" ] || continue
  grep -q '^<[a-zA-Z]*/>$' "$file" || grep -q '^<settings.*>' "$file" || { echo "Non-parseable settings $file"; exit 1; }
done
cat "$HOME/.m2/repository/org/lib/1/lib-1.jar"`,
      files: {
        'home/.m2/settings.xml': '<settings><password>hidden</password></settings>',
        'home/.m2/settings-security.xml': '<settingsSecurity><master>hidden</master></settingsSecurity>',
        'home/.m2/repository/org/lib/1/lib-1.jar': 'library',
      },
    },
    cargo: {
      tool: `for file in config.toml credentials.toml; do cat "$HOME/.cargo/$file" || exit 1; done
cat "$HOME/.cargo/registry/src/lib/lib.rs"`,
      files: {
        'home/.cargo/config.toml': '',
        'home/.cargo/credentials.toml': '[registry]\ntoken = "hidden"',
        'home/.cargo/registry/src/lib/lib.rs': 'library',
      },
    },
    npm: {
      tool: `cat "$HOME/.npmrc" || exit 1; mkdir -p "$npm_config_cache/_logs" || exit 1; cat "$HOME/.npm/_cacache/content/lib"`,
      files: { 'home/.npmrc': '//registry/:_authToken=hidden', 'home/.npm/_cacache/content/lib': 'library' },
    },
    composer: {
      tool: `grep -q '^{' "$HOME/.config/composer/auth.json" || exit 1; cat "$HOME/.cache/composer/files/lib"`,
      files: {
        'home/.config/composer/auth.json': '{"http-basic":{"password":"hidden"}}',
        'home/.cache/composer/files/lib': 'library',
      },
    },
  }

  for (const mode of ['read-only', 'workspace-write'] as const)
    it.each(Object.entries(tools))(
      `builds a project of %s offline in ${mode}, without its credentials`,
      async (name, made) => {
        using home = openHome()
        for (const [path, text] of Object.entries(made.files)) home.put(path, text)
        home.put(`bin/${name}`, `#!/bin/sh\n${made.tool}\n`)
        chmodSync(home.at(`bin/${name}`), 0o755)
        expect(await run(home, mode, name)).toEqual({ exitCode: 0, text: 'library' })
      },
    )
})
