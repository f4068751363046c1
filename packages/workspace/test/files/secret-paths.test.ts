import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createMark, openHost, openSandboxes, secretPlaces } from '@parley/host'
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
    paths: (added: readonly string[] = []) =>
      secretPaths({ home: at('home'), parleyHome: at('home/.parley'), added }, diskFiles),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function run(home: ReturnType<typeof openHome>, mode: 'read-only' | 'workspace-write', script: string) {
  const limits = {
    mode,
    writableRoots: [home.at('work')],
    network: false,
    unixSockets: false,
    masked: await home.paths(),
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

describe.skipIf(!isFull)(`a command in the full sandbox${whyNot}`, { timeout: 30_000 }, () => {
  it.each(['read-only', 'workspace-write'] as const)('reads nothing in any of the places in %s', async (mode) => {
    using home = openHome()
    const places = secretPlaces.flatMap(({ paths }) => paths).map((place) => place.replace('*', 'some'))
    for (const place of places) home.put(`home/${place}${isFileName(place) ? '' : '/inner'}`, 'hidden-content')
    home.put('home/plain', 'open-content')
    const { text } = await run(home, mode, `grep -rl hidden-content "$HOME"; cat "$HOME/plain"`)
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
