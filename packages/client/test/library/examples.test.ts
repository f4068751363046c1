import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type CliResult, cliPath, hasFullSandbox, noFullSandbox, startProgram, tempDirectory } from '@parley/testkit'
import { expect, test } from 'vitest'
import { type LibraryWorld, libraryWorld, listeningServer } from './library-world.ts'

const root = new URL('../../../../', import.meta.url)

/** The first JavaScript block of a page below a heading. */
function exampleIn(page: string, heading: string): string {
  const [, part = ''] = readFileSync(new URL(page, root), 'utf8').split(`\n${heading}\n`)
  const block = /^```js\n(.*?)^```$/ms.exec(part)?.[1]
  if (block === undefined) throw new Error(`${page} has no example below ${heading}`)
  return block
}

interface Run {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Runs it as a user does: a file of a project that has the package, with `parley` on the PATH. */
async function runExample(world: LibraryWorld, code: string, { args = [], env = {} }: Run = {}): Promise<CliResult> {
  await using project = await tempDirectory()
  const file = join(project.path, 'example.mjs')
  await writeFile(file, code)
  await mkdir(join(project.path, 'node_modules/@parley'), { recursive: true })
  await symlink(fileURLToPath(new URL('packages/client', root)), join(project.path, 'node_modules/@parley/client'))
  const bin = join(project.path, 'bin')
  await mkdir(bin)
  await writeFile(join(bin, 'parley'), `#!/bin/sh\nexec '${process.execPath}' '${cliPath}' "$@"\n`)
  await chmod(join(bin, 'parley'), 0o755)
  const path = [bin, world.env['PATH']].join(delimiter)
  await using run = startProgram([process.execPath, '--conditions=@parley/source', file, ...args], {
    cwd: world.cwd,
    env: { ...world.env, ...env, PATH: path },
  })
  return await run.result
}

const command = (line: string) => ({ calls: [{ name: 'shell', arguments: { command: line } }] })

test('the example of the README runs, and approves what it says and nothing that only begins so', async () => {
  await using world = await libraryWorld(
    { text: 'I will run them.', ...command('npm test') },
    command('npm test\ntouch made'),
    { text: 'They do not: there is no package.json.' },
  )
  const { exitCode, stdout, stderr } = await runExample(world, exampleIn('README.md', '## Use it from a program'))
  expect(stderr).toBe('')
  expect(stdout).toMatch(
    /^I will run them\.[\s\S]*no package\.json\.\ncompleted, 15 tokens; go on with: parley resume \S+\n$/,
  )
  expect(exitCode).toBe(0)
  expect(existsSync(join(world.cwd, 'made'))).toBe(false)
})

test('the example of the protocol page talks to a server over a websocket, with nothing but Node', async () => {
  await using world = await libraryWorld()
  await using server = await listeningServer(world, 'ws://127.0.0.1:0')
  const code = exampleIn('docs/protocol/README.md', '### A server that runs already')
  const args = [server.where, join(world.home, '.parley', 'server-token')]
  const { exitCode, lines, stderr } = await runExample(world, code, { args })
  expect(stderr).toBe('')
  expect(lines().map((line) => JSON.parse(line))).toMatchObject([
    { id: 1, result: { protocolVersion: 2 } },
    { id: 2, result: { conversations: [], nextCursor: null } },
  ])
  expect(exitCode).toBe(0)
})

test('the bot of the library page approves what is harmless, and asks about the rest', async (context) => {
  context.skip(!hasFullSandbox, noFullSandbox)
  await using world = await libraryWorld(command('mkdir made'), command('rm -r made'), command('touch other'), {
    text: 'Made it.',
  })
  const posted: unknown[] = []
  const service = createServer(async (request, response) => {
    const asked = await json(request)
    posted.push(asked)
    response.end(JSON.stringify(posted.length === 1 ? { yes: false, note: 'Keep it.' } : { yes: true }))
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const { port } = service.address() as AddressInfo
  const { exitCode, stdout, stderr } = await runExample(world, exampleIn('docs/client.md', '## Approvals'), {
    args: ['Make a folder.'],
    env: { APPROVAL_URL: `http://127.0.0.1:${port}/` },
  })
  service.closeAllConnections()
  service.close()
  expect(stderr).toBe('')
  expect(stdout).toBe('$ mkdir made → completed\n$ rm -r made → denied\n$ touch other → completed\nMade it.\n')
  expect(posted).toMatchObject([{ title: 'rm -r made' }, { title: 'touch other' }])
  expect(exitCode).toBe(0)
  expect(existsSync(join(world.cwd, 'made'))).toBe(true)
})
