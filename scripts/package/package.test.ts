import { execFile } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startProgram,
  startPty,
  type TempDirectory,
  tempDirectory,
  tempHome,
} from '../../packages/testkit/src/index.ts'
import { programVersion } from '../bundle/identity.mjs'
import { root } from '../bundle/places.mjs'
import { names, tarballName } from './names.mjs'

const run = promisify(execFile)
const isLong = process.env['PARLEY_LONG_TESTS'] === '1'
const version = programVersion()
const bin = join(root, 'node_modules/.bin')

let made: TempDirectory
const tarball = (name: string) => join(made.path, tarballName(name, version))

beforeAll(async () => {
  made = await tempDirectory()
  await run(process.execPath, [join(root, 'scripts/package/main.mjs'), made.path, '--built'])
}, 60_000)

afterAll(() => made[Symbol.asyncDispose]())

/** Unpacks a package as npm does, in a folder of its own. */
async function unpacked(name: string, to: TempDirectory): Promise<string> {
  await run('tar', ['xzf', tarball(name), '-C', to.path])
  return join(to.path, 'package')
}

test('each package is one file', async () => {
  const wanted = Object.values(names).map((name) => tarballName(name, version))
  expect((await readdir(made.path)).sort()).toEqual(wanted.sort())
})

test.runIf(isLong)('the same build gives the same bytes', async () => {
  await using again = await tempDirectory()
  await run(process.execPath, [join(root, 'scripts/package/main.mjs'), again.path, '--built'])
  for (const file of await readdir(made.path))
    expect(readFileSync(join(again.path, file)).equals(readFileSync(join(made.path, file))), file).toBe(true)
})

/** Files for a build of a copy of the checkout. */
const sources = ['packages', 'apps', 'scripts', 'docs', 'package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml']
const others = ['tsconfig.base.json', 'README.md', 'CHANGELOG.md', 'LICENSE']

test.runIf(isLong)(
  'a build in another folder gives the same bytes',
  async () => {
    await using copy = await tempDirectory()
    await using again = await tempDirectory()
    // The build writes files in place, so the copy must not share them with this checkout.
    const isSource = (path: string) => !/\/(?:node_modules|dist)$|\.tsbuildinfo$/.test(path)
    for (const name of [...sources, ...others])
      cpSync(join(root, name), join(copy.path, name), { recursive: true, filter: isSource, verbatimSymlinks: true })
    const modules = globSync(['node_modules', '{packages,apps}/*/node_modules'], { cwd: root })
    for (const name of modules) await run('cp', ['-al', join(root, name), join(copy.path, name)])
    await run(process.execPath, [join(copy.path, 'scripts/package/main.mjs'), again.path])
    for (const file of await readdir(made.path))
      expect(readFileSync(join(again.path, file)).equals(readFileSync(join(made.path, file))), file).toBe(true)
  },
  300_000,
)

/** Returns the PATH without the folders of this checkout: the Node of the machine may be an old one. */
function pathOfMachine(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.filter((folder) => !folder.includes('node_modules')).join(delimiter)
}

const searchPaths = [
  ['that of the machine, whatever its age', pathOfMachine()],
  ['that of the checkout', `${bin}${delimiter}${process.env['PATH'] ?? ''}`],
] as const

test.each(isLong ? searchPaths : searchPaths.slice(0, 1))(
  'the program runs by npx in an empty home with a Node, %s',
  async (_which, searchPath) => {
    await using home = await tempHome()
    await using folder = await tempDirectory()
    cpSync(tarball(names.program), join(folder.path, 'parley.tgz'))
    await keepNode(join(home.path, '.cache', 'parley'), folder)
    const env = { ...home.env, PATH: searchPath, XDG_CACHE_HOME: join(home.path, '.cache') }
    await using pty = startPty({ argv: ['npx', '--yes', './parley.tgz', 'demo'], env, cwd: folder.path })
    await pty.waitFor(/Run this command\?/, { timeoutMs: 60_000 })
    expect(pty.terminal.transcript().join('\n')).toContain('node --test')
  },
  90_000,
)

/** Puts the Node of this checkout where the launcher keeps the one it fetches, so that no test waits for a download. */
async function keepNode(cache: string, scratch: TempDirectory): Promise<void> {
  const place = await unpacked(names.program, scratch)
  const name = readFileSync(join(place, 'node/name'), 'utf8').trim()
  const folder = join(cache, name, 'node_modules', name.replace(/@[^@]*$/, ''), 'bin')
  mkdirSync(folder, { recursive: true })
  symlinkSync(process.execPath, join(folder, 'node'))
}

test('the program takes the Node that it fetches once, where that of the machine is old', async () => {
  await using folder = await tempDirectory()
  await using home = await tempHome()
  const place = await unpacked(names.program, folder)
  const { dependencies } = JSON.parse(readFileSync(join(place, 'node/package.json'), 'utf8'))
  const [fetched = ''] = Object.keys(dependencies)
  const old = join(folder.path, 'old')
  mkdirSync(old)
  const script = (name: string, text: string) => writeFileSync(join(old, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  script('node', 'echo v20.20.2')
  script(
    'npm',
    `echo "$*" >>"${folder.path}/calls"; grep -q integrity package-lock.json || exit 9\nmkdir -p node_modules/${fetched}/bin && ln -s ${process.execPath} node_modules/${fetched}/bin/node`,
  )
  const env = { ...home.env, PATH: `${old}:/usr/bin:/bin` }
  for (let start = 0; start < 2; start++) {
    await using started = startProgram([join(place, 'bin/parley'), '--version'], { env, cwd: folder.path })
    expect(await started.result).toMatchObject({ exitCode: 0, stdout: `${version}\n`, stderr: '' })
  }
  expect(readFileSync(join(folder.path, 'calls'), 'utf8')).toMatch(/^ci --ignore-scripts [^\n]*\n$/)
})

test('the program says what it needs where there is neither a new Node nor npm', async () => {
  await using folder = await tempDirectory()
  await using home = await tempHome()
  const place = await unpacked(names.program, folder)
  const tools = join(folder.path, 'tools')
  mkdirSync(tools)
  for (const name of ['sh', 'readlink', 'mkdir']) cpSync(`/bin/${name}`, join(tools, name))
  await using started = startProgram([join(place, 'bin/parley'), '--version'], {
    env: { ...home.env, PATH: tools },
    cwd: folder.path,
  })
  expect(await started.result).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('no npm to fetch one') })
})

test('the program has its documents, its licence and those of what is bundled, and no script of an installation', async () => {
  await using folder = await tempDirectory()
  const place = await unpacked(names.program, folder)
  const licences = readFileSync(join(place, 'THIRD-PARTY-LICENSES'), 'utf8')
  for (const name of ['zod', 'ink', 'react', 'tree-sitter-bash', '@modelcontextprotocol/server'])
    expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'))
  for (const file of ['LICENSE', 'README.md', 'docs/README.md', 'docs/terminal.md'])
    expect(existsSync(join(place, file)), file).toBe(true)
  expect(JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')).scripts).toBeUndefined()
})

test('the client library is installed from its file, with its types', async () => {
  await using folder = await tempDirectory()
  writeFileSync(join(folder.path, 'package.json'), '{ "private": true, "type": "module" }')
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', tarball(names.client)], {
    cwd: folder.path,
  })
  const source = `import { connect, type Parley } from '${names.client}'
const parley: Promise<Parley> = connect({ spawn: { command: ['/nowhere/parley'] } })
await parley.catch((error: Error) => console.log(error.message))
`
  writeFileSync(join(folder.path, 'use.ts'), source)
  const options = ['--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024,esnext.disposable', '--noEmit']
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types'), '--skipLibCheck', '--strict']
  await run(join(bin, 'tsc'), [...options, ...types, 'use.ts'], { cwd: folder.path })
  const { stdout } = await run(process.execPath, ['use.ts'], { cwd: folder.path })
  expect(stdout).toBe('The server /nowhere/parley could not be started: no such file or directory (ENOENT).\n')
}, 60_000)
