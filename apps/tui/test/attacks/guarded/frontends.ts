import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CliResult, cliPath, type ScriptedCall, type ScriptedStep, startProgram } from '@parley/testkit'
import { expect } from 'vitest'
import { asUser, giveTo } from '../world/attack-user.ts'
import type { AttackWorld } from '../world/attack-world.ts'
import { type Asked, converse, hasBegun, messageOf, settingsOf } from '../world/converse.ts'
import { lookAt } from '../world/look-at.ts'
import { environmentName, openEnvironment } from './environment-there.ts'
import { codexTurn, openExec, openMcp, type RawClient, uriOf } from './raw-clients.ts'

/** Guarded path that is laid out, with all that an attempt at it needs. */
export interface Attempt {
  readonly attack: string
  readonly world: AttackWorld
  readonly clients: Clients
  /** Folder of the conversation, which commands may write to. */
  readonly cwd: string
  /** Absolute. */
  readonly target: string
  /** Command that writes the target, with every way to fail left out of its exit code. */
  readonly write: string
}

/** Programs that are started once for all attacks on a world. */
export interface Clients {
  readonly mcp: RawClient
  readonly silent: RawClient
  readonly exec: RawClient
}

export async function openClients(world: AttackWorld, stack: AsyncDisposableStack): Promise<Clients> {
  const [mcp, silent, exec] = await Promise.all([
    openMcp(world, { asks: true }),
    openMcp(world, { asks: false }),
    openExec(world),
  ])
  for (const client of [mcp, silent, exec]) stack.use(client)
  stack.use(await openEnvironment(world))
  return { mcp, silent, exec }
}

/** Ways in which a client or a model gets at a guarded path. Each must leave it as it was. */
export const frontends = {
  command: async (attempt: Attempt) => expectSandboxed(await talk(attempt, shell(attempt.write))),
  patchOfContent: async (attempt: Attempt) => expectAsked(attempt, await talk(attempt, patch(contentPatch(attempt)))),
  patchThatDeletes: async (attempt: Attempt) => expectAsked(attempt, await talk(attempt, patch(deletion(attempt)))),
  patchThatMovesHere: async (attempt: Attempt) => expectAsked(attempt, await talk(attempt, patch(moveHere(attempt)))),
  wholeFile: async (attempt: Attempt) => expectAsked(attempt, await talk(attempt, wholeFile(attempt))),
  editedText: async (attempt: Attempt) => expectAsked(attempt, await talk(attempt, editedText(attempt))),
  mcpCommand: async (attempt: Attempt) => void (await call(attempt, 'accept', shell(attempt.write))),
  async mcpPatch(attempt: Attempt) {
    const { asked } = await call(attempt, 'decline', patch(contentPatch(attempt)))
    expect(asked.length).toBe(1)
    expect(asked[0]).toContain(attempt.target)
  },
  async mcpPatchUnseen({ clients, ...attempt }: Attempt) {
    const { asked } = await call(
      { ...attempt, clients: { ...clients, mcp: clients.silent } },
      'decline',
      patch(contentPatch(attempt)),
    )
    expect(asked).toEqual([])
  },
  execFiles,
  execCommand,
  environmentCommand: async (attempt: Attempt) =>
    expectSandboxed(await talk({ ...attempt, environment: true }, shell(attempt.write))),
  environmentPatch: async (attempt: Attempt) =>
    expectAsked(attempt, await talk({ ...attempt, environment: true }, patch(contentPatch(attempt)))),
  script: async (attempt: Attempt) => expectDone(attempt, await runScript(attempt)),
} as const

export type Frontend = keyof typeof frontends

const shell = (command: string): ScriptedCall => ({ name: 'shell', arguments: { command, timeout_ms: 10_000 } })
const patch = (text: string): ScriptedCall => ({ name: 'apply_patch', arguments: { patch: text } })
const patchOf = (...lines: readonly string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')

const wholeFile = ({ target: path }: Attempt): ScriptedCall => ({
  name: 'write_file',
  arguments: { path, content: 'evil\n' },
})

/** Text in place of all that a file has; of a path that is not there nothing is replaced, which makes it. */
function editedText({ target: path }: Attempt): ScriptedCall {
  const old = isFile(path) ? readFileSync(path, 'utf8') : ''
  return { name: 'edit_file', arguments: { path, old, new: 'evil\n' } }
}

const isFile = (path: string) => lookAt(path).startsWith('file')

function contentPatch({ target }: Pick<Attempt, 'target'>): string {
  return isFile(target)
    ? patchOf(`*** Update File: ${target}`, '@@', '+evil')
    : patchOf(`*** Add File: ${target}`, '+evil')
}

/** A path that is not there cannot be deleted: it is made. */
const deletion = (attempt: Attempt) =>
  isFile(attempt.target) ? patchOf(`*** Delete File: ${attempt.target}`) : contentPatch(attempt)

/** A path that is there cannot be moved to: it is moved away. */
function moveHere({ target, cwd, world }: Attempt): string {
  const other = join(cwd, 'other')
  if (isFile(target)) return patchOf(`*** Update File: ${target}`, `*** Move to: ${other}`, '@@', '+evil')
  writeFileSync(other, 'other\n')
  giveTo(world.user, other)
  return patchOf(`*** Update File: ${other}`, `*** Move to: ${target}`, '@@', '+evil')
}

const settings = settingsOf['workspace-write']

/** A yes is said only to what runs in a sandbox. */
const answer = ({ approval }: Asked) => (approval.kind === 'command' ? 'approved' : 'denied')

function talk(
  { world, attack, cwd, environment = false }: Attempt & { readonly environment?: boolean },
  ...calls: readonly ScriptedCall[]
) {
  const steps: readonly ScriptedStep[] = [{ calls }, { text: 'done' }]
  const where = environment ? { ...settings, environment: environmentName, environmentCwd: cwd } : settings
  return converse(world, { client: world.server.client, attack, cwd, settings: where, answer }, steps)
}

type Talked = Awaited<ReturnType<typeof talk>>

/** A command is not kept from its attack by never being started. */
function expectSandboxed(talked: Talked): void {
  expect(hasBegun(talked), JSON.stringify(talked.items.at(-2))).toBe(true)
  const limits = talked.items.flatMap((item) => ('decision' in item ? [item.decision?.limits?.sandbox ?? ''] : []))
  expect(limits).not.toContain('none')
}

function expectAsked({ target }: Attempt, { asked }: Talked): void {
  expect(asked.map(({ approval }) => approval.kind)).toEqual(['patch'])
  expect(
    asked.flatMap(({ approval }) => approval.files ?? []).flatMap(({ path, movedTo }) => [path, movedTo]),
  ).toContain(target)
}

/** `parley exec`, where nobody is there to say yes: a command in the sandbox, and a patch. */
async function runScript({ world, attack, cwd, write, target }: Attempt): Promise<CliResult> {
  world.script(attack, [{ calls: [shell(write), patch(contentPatch({ target }))] }, { text: 'done' }])
  const { user, home } = world
  const words = ['exec', '--sandbox', 'workspace-write', '--cd', cwd, messageOf(attack)]
  const command = asUser(user, [process.execPath, cliPath, ...words])
  await using run = startProgram(command, { cwd, env: world.environment(home), timeoutMs: 50_000 })
  return await run.result
}

function expectDone({ world, attack }: Attempt, { exitCode, stderr }: CliResult): void {
  expect(exitCode, stderr).toBe(0)
  expect(world.requestsOf(attack).length).toBe(2)
}

function call(
  { world, attack, cwd, clients }: Attempt,
  decision: 'accept' | 'decline',
  ...calls: readonly ScriptedCall[]
) {
  world.script(attack, [{ calls }, { text: 'done' }])
  return codexTurn(clients.mcp, { attack, cwd, answer: decision })
}

/** Each way in which the exec-server changes files, links followed and not. */
async function execFiles({ clients, target, cwd }: Attempt): Promise<void> {
  const sandbox = { type: 'workspace-write', writableRoots: [cwd] }
  const path = uriOf(target)
  const dataBase64 = Buffer.from('evil\n').toString('base64')
  for (const followLinks of [true, false]) {
    const common = { path, sandbox, followLinks }
    const replies = [
      await clients.exec.request('fs/writeFile', { ...common, dataBase64 }),
      await clients.exec.request('fs/createDirectory', { ...common, recursive: true }),
      await clients.exec.request('fs/remove', { ...common, recursive: true, force: false }),
    ]
    expect(replies.map(({ result }) => result)).toEqual([undefined, undefined, undefined])
  }
}

async function execCommand({ clients, attack, write, cwd }: Attempt): Promise<void> {
  const sandbox = { type: 'workspace-write', writableRoots: [cwd] }
  const { program, request } = clients.exec
  const env = { PATH: '/usr/bin:/bin' }
  const started = await request('process/start', { processId: attack, argv: ['sh', '-c', write], cwd, env, sandbox })
  expect(started.error).toBe(undefined)
  await program.until(
    'the end of the process',
    ({ method, params }) => method === 'process/closed' && params?.['processId'] === attack,
  )
}
