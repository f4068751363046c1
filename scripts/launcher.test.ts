import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type CliOptions,
  type CliResult,
  startProgram,
  type TempDirectory,
  tempDirectory,
} from '../packages/testkit/src/index.ts'
import { root } from './bundle/places.mjs'

/** Builds as the real one does as far as the launcher can tell, and keeps count. */
const fakeBuild = `
import { appendFileSync, mkdirSync, symlinkSync, rmSync, writeFileSync } from 'node:fs'
appendFileSync('builds', 'built\\n')
mkdirSync('apps/tui/dist', { recursive: true })
writeFileSync('apps/tui/dist/parley.mjs', \`
  console.log(JSON.stringify({ argv: process.argv.slice(2), cwd: process.cwd() }))
  process.stdin.pipe(process.stdout)
  if (process.argv[2] === 'fail') process.exitCode = 7
  if (process.argv.includes('tunables'))
    console.log(JSON.stringify([process.env.GLIBC_TUNABLES, process.env.PARLEY_TUNABLES]))
  if (process.argv.includes('flags')) console.log(JSON.stringify(process.execArgv))
\`)
rmSync('.parley-build/node', { force: true })
symlinkSync(process.execPath, '.parley-build/node')
writeFileSync('.parley-build/version', 'parley 1.2.3\\n')
writeFileSync('.parley-build/stamp', '')
`

/** A checkout in miniature: the real launcher, a package or two, dependencies that count as installed. */
async function checkout(): Promise<TempDirectory & { readonly launcher: string; at(name: string): string }> {
  const directory = await tempDirectory()
  const at = (name: string) => join(directory.path, name)
  for (const folder of [
    'packages/rpc/src',
    'apps/tui/src',
    'scripts/bundle',
    'node_modules/.bin',
    'node_modules/.pnpm',
  ]) {
    mkdirSync(at(folder), { recursive: true })
  }
  cpSync(join(root, 'parley'), at('parley'))
  for (const script of ['prepare.sh', 'start.sh', 'usable-node.sh', 'pnpm.sh', 'pnpm'])
    cpSync(join(root, 'scripts', script), at(`scripts/${script}`), { recursive: true })
  symlinkSync(process.execPath, at('node_modules/.bin/node'))
  const empty = ['node_modules/.bin/esbuild', 'node_modules/.pnpm/lock.yaml', 'pnpm-lock.yaml', 'packages/rpc/src/a.ts']
  const manifests = ['package.json', 'packages/rpc/package.json', 'apps/tui/package.json']
  for (const name of [...empty, ...manifests]) writeFileSync(at(name), '')
  writeFileSync(at('scripts/build.mjs'), fakeBuild)
  return { ...directory, at, launcher: at('parley') }
}

async function run(launcher: string, argv: readonly string[] = [], options: CliOptions = {}): Promise<CliResult> {
  await using started = startProgram([launcher, ...argv], options)
  return await started.result
}

const buildsOf = async (place: { at(name: string): string }) =>
  (await readFile(place.at('builds'), 'utf8')).split('\n').length - 1

/** Later than any stamp that a build is about to write. */
const touch = (path: string) => utimes(path, new Date(), new Date())

describe('the launcher', () => {
  test('builds once, then starts the program with its arguments, folder, stdin and exit code', async () => {
    await using place = await checkout()
    await using elsewhere = await tempDirectory()
    const argv = ['fail', 'two words', '']
    for (let round = 0; round < 2; round++) {
      const result = await run(place.launcher, argv, { cwd: elsewhere.path, stdin: 'from the user' })
      expect(result).toMatchObject({ exitCode: 7, stderr: '' })
      expect(result.lines()).toEqual([JSON.stringify({ argv, cwd: elsewhere.path }), 'from the user'])
    }
    expect(await buildsOf(place)).toBe(1)
  })

  test('builds again when a source is newer and when one is gone', async () => {
    await using place = await checkout()
    await run(place.launcher)
    await touch(place.at('packages/rpc/src/a.ts'))
    await run(place.launcher)
    expect(await buildsOf(place)).toBe(2)
    await rm(place.at('packages/rpc/src/a.ts'))
    await run(place.launcher)
    await run(place.launcher)
    expect(await buildsOf(place)).toBe(3)
  })

  test('first starts at the same time build once and all run', async () => {
    await using place = await checkout()
    const results = await Promise.all(['1', '2', '3', '4'].map((name) => run(place.launcher, [name])))
    expect(results.map((result) => result.exitCode)).toEqual([0, 0, 0, 0])
    expect(await buildsOf(place)).toBe(1)
  })

  test('the lock of a dead build is taken over', async () => {
    await using place = await checkout()
    await using dead = startProgram(['true'])
    await dead.result
    mkdirSync(place.at('.parley-build/lock'), { recursive: true })
    writeFileSync(place.at('.parley-build/lock/pid'), `${dead.pid}\n`)
    expect((await run(place.launcher)).exitCode).toBe(0)
  })

  test('is found through symlinks', async () => {
    await using place = await checkout()
    await using elsewhere = await tempDirectory()
    symlinkSync(place.launcher, join(elsewhere.path, 'first'))
    symlinkSync('first', join(elsewhere.path, 'second'))
    expect((await run(join(elsewhere.path, 'second'))).exitCode).toBe(0)
  })

  test('opens no debugger at a signal, and limits the young generation of all that is no script', async () => {
    await using place = await checkout()
    const flagsOf = async (...argv: string[]) => (await run(place.launcher, argv)).lines().at(-1)
    expect(await flagsOf('resume', 'flags')).toBe('["--disable-sigusr1","--max-semi-space-size=1"]')
    expect(await flagsOf('exec', 'flags')).toBe('["--disable-sigusr1"]')
  })

  test('sets the allocator, unless the user has', async () => {
    await using place = await checkout()
    const tunablesOf = async (env: Record<string, string> = {}) => {
      const { PATH = '' } = process.env
      const { lines } = await run(place.launcher, ['tunables'], { env: { PATH, ...env } })
      return JSON.parse(lines().at(-1) ?? '')
    }
    const [tunables, own] = await tunablesOf()
    expect(tunables).toContain('glibc.malloc.arena_max=1')
    expect(own).toBe(tunables)
    expect(await tunablesOf({ GLIBC_TUNABLES: '' })).toEqual(['', null])
  })

  test('a failing build shows its output and runs nothing', async () => {
    await using place = await checkout()
    writeFileSync(place.at('scripts/build.mjs'), 'throw new Error("no such import")')
    const result = await run(place.launcher)
    expect(result).toMatchObject({ exitCode: 1, stdout: '' })
    expect(result.stderr).toMatch(/no such import[\s\S]*parley: building failed/)
    expect((await run(place.launcher)).stderr).toContain('no such import')
  })

  test('the version is answered without Node', async () => {
    await using place = await checkout()
    await run(place.launcher)
    await rm(place.at('.parley-build/node'))
    expect(await run(place.launcher, ['--version'])).toMatchObject({ exitCode: 0, stdout: 'parley 1.2.3\n' })
  })

  describe('that has to install', () => {
    /**
     * Replaces npm by a program with a pnpm, which installs the packages that the launcher looks for and records its
     * arguments.
     */
    function fakeNpm(place: { at(name: string): string }): CliOptions {
      mkdirSync(place.at('bin'))
      const script = `#!/bin/sh
echo "$*" >>${place.at('fetches')}
mkdir -p node_modules/.bin
cat >node_modules/.bin/pnpm <<'END'
#!/bin/sh
echo "$*" >>installs
mkdir -p node_modules/.bin node_modules/.pnpm packages/rpc/node_modules
: >node_modules/.bin/esbuild
ln -sf ${process.execPath} node_modules/.bin/node
END
chmod +x node_modules/.bin/pnpm
`
      writeFileSync(place.at('bin/npm'), script, { mode: 0o755 })
      return { env: { PATH: `${place.at('bin')}:${process.env['PATH'] ?? ''}` } }
    }

    test('keeps nothing of what only the build needs, and fetches it again for the next one', async () => {
      await using place = await checkout()
      await rm(place.at('node_modules'), { recursive: true })
      const options = fakeNpm(place)
      for (const round of [1, 2]) {
        expect(await run(place.launcher, [], options)).toMatchObject({ exitCode: 0, stderr: '' })
        expect(await run(place.launcher, [], options)).toMatchObject({ exitCode: 0, stderr: '' })
        const gone = ['node_modules', 'packages/rpc/node_modules', '.parley-build/installing', '.parley-build/pnpm']
        const left = [...gone, '.parley-build/node']
        expect(left.filter((name) => existsSync(place.at(name)))).toEqual(['.parley-build/node'])
        const calls = (await readFile(place.at('installs'), 'utf8')).trimEnd().split('\n')
        expect(calls.map((words) => words.includes('--prod'))).toEqual(Array.from({ length: round }, () => true))
        await touch(place.at('packages/rpc/src/a.ts'))
      }
      expect(await buildsOf(place)).toBe(2)
    })

    test('fetches the pnpm of its lock once, and again when that changes', async () => {
      await using place = await checkout()
      const options = fakeNpm(place)
      const start = () => run(place.at('scripts/pnpm.sh'), ['install'], { ...options, cwd: place.at('.') })
      for (let round = 0; round < 2; round++) expect(await start()).toMatchObject({ exitCode: 0 })
      expect((await readFile(place.at('fetches'), 'utf8')).match(/^install /gm)).toHaveLength(1)
      writeFileSync(place.at('scripts/pnpm/package-lock.json'), '{}')
      expect(await start()).toMatchObject({ exitCode: 0 })
      expect((await readFile(place.at('fetches'), 'utf8')).match(/^install /gm)).toHaveLength(2)
      expect(readdirSync(place.at('.parley-build'))).toEqual(['pnpm'])
    })

    test('leaves the tools of a developer where they are', async () => {
      await using place = await checkout()
      writeFileSync(place.at('pnpm-lock.yaml'), 'changed')
      expect(await run(place.launcher, [], fakeNpm(place))).toMatchObject({ exitCode: 0, stderr: '' })
      expect(await readFile(place.at('installs'), 'utf8')).not.toContain('--prod')
      expect(existsSync(place.at('node_modules/.bin/esbuild'))).toBe(true)
    })
  })

  test('without npm a first start says what it needs', async () => {
    await using place = await checkout()
    await rm(place.at('node_modules'), { recursive: true })
    const result = await run('/bin/sh', ['-c', `command() { return 1; }; . "$0"`, place.launcher])
    expect(result.exitCode).toBe(1)
    expect(result.stderr).toContain('needs npm')
  })
})

test('pnpm is pinned by hash, with its programs for Linux, and comes from no certain registry', () => {
  const lock = readFileSync(join(root, 'scripts/pnpm/package-lock.json'), 'utf8')
  const { packages } = JSON.parse(lock)
  const hashOf = (name: string) => String(packages[`node_modules/${name}`]?.integrity)
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const hex = Buffer.from(hashOf('pnpm').replace('sha512-', ''), 'base64').toString('hex')
  expect(packageManager).toBe(`pnpm@${packages['node_modules/pnpm'].version}+sha512.${hex}`)
  for (const system of ['linux-x64', 'linux-arm64']) expect(hashOf(`@pnpm/exe.${system}`)).toMatch(/^sha512-/)
  expect(lock).not.toContain('://')
})
