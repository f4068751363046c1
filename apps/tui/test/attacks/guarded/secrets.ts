import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ScriptedCall } from '@parley/testkit'
import { expect } from 'vitest'
import type { AttackWorld } from '../world/attack-world.ts'
import { type Asked, bytesOf, converse, filesOf, settingsOf, type Talk, toldModel } from '../world/converse.ts'
import { environmentName } from './environment-there.ts'
import type { Clients } from './frontends.ts'
import { codexTurn, uriOf } from './raw-clients.ts'

/** A secret that lies where programs keep theirs, and a path that leads to it. */
export interface Theft {
  readonly attack: string
  readonly world: AttackWorld
  readonly clients: Clients
  readonly cwd: string
  /** Absolute. */
  readonly path: string
  /** Text of the secret, which nothing could know for one by its form. */
  readonly words: string
}

/** Ways to read a secret without a yes. None may get at its words. */
export const thefts = {
  commandReadOnly: async (theft: Theft) => expectRun(theft, await talk(theft, 'read-only', shell(everyRead(theft)))),
  commandThatWrites: async (theft: Theft) =>
    expectRun(theft, await talk(theft, 'workspace-write', shell(`${everyRead(theft)}; ${everyCopy(theft)}`))),
  readFile: async (theft: Theft) => expectAsked(theft, await talk(theft, 'workspace-write', readFile(theft.path))),
  listAndSearch: async (theft: Theft) =>
    expectUntold(
      theft,
      await talk(
        theft,
        'workspace-write',
        { name: 'list_dir', arguments: { path: dirname(theft.path) } },
        { name: 'search', arguments: { pattern: 'words', path: dirname(theft.path) } },
      ),
    ),
  patch: async (theft: Theft) => expectUntold(theft, await talk(theft, 'workspace-write', missingPatch(theft))),
  async mcpCommand(theft: Theft) {
    const { world, attack, cwd, clients, words } = theft
    world.script(attack, [{ calls: [shell(everyRead(theft)), readFile(theft.path)] }, { text: 'done' }])
    const { asked, result } = await codexTurn(clients.mcp, { attack, cwd, answer: 'decline' })
    expect(JSON.stringify([asked, result, world.requestsOf(attack)])).not.toContain(words)
    expectNothingCopied(theft)
  },
  async execFiles({ clients, path, cwd, words }: Theft) {
    const sandbox = { type: 'workspace-write', writableRoots: [cwd] }
    for (const followLinks of [true, false]) {
      const reply = await clients.exec.request('fs/readFile', { path: uriOf(path), sandbox, followLinks })
      expect(reply.result).toBe(undefined)
      expect(JSON.stringify(reply)).not.toContain(Buffer.from(words).toString('base64').slice(0, 20))
    }
  },
  async execCommand(theft: Theft) {
    const { clients, attack, cwd, words } = theft
    const sandbox = { type: 'workspace-write', writableRoots: [cwd] }
    const { program, request } = clients.exec
    const argv = ['sh', '-c', `{ ${everyRead(theft)}; ${everyCopy(theft)}; } 2>&1`]
    const started = await request('process/start', {
      ...{ processId: attack, argv, cwd, env: { PATH: '/usr/bin:/bin' }, sandbox },
    })
    expect(started.error).toBe(undefined)
    const isOwn = (params: Readonly<Record<string, unknown>> | undefined) => params?.['processId'] === attack
    await program.until('the end', ({ method, params }) => method === 'process/closed' && isOwn(params))
    const output = program.heard.filter(({ params }) => isOwn(params)).map(({ params }) => textOf(params))
    expect(output.join('')).not.toContain(words)
    expectNothingCopied(theft)
  },
  environmentCommand: async (theft: Theft) =>
    expectRun(theft, await talk({ ...theft, environment: true }, 'workspace-write', shell(everyRead(theft)))),
  environmentRead: async (theft: Theft) =>
    expectAsked(theft, await talk({ ...theft, environment: true }, 'workspace-write', readFile(theft.path))),
} as const

const shell = (command: string): ScriptedCall => ({ name: 'shell', arguments: { command, timeout_ms: 10_000 } })
const readFile = (path: string): ScriptedCall => ({ name: 'read_file', arguments: { path } })

/** Reads a path by many programs and names. */
function everyRead({ path }: Pick<Theft, 'path'>): string {
  const folder = dirname(path)
  return [
    `cat '${path}'; cat < '${path}'; dd if='${path}' 2>/dev/null; base64 -d '${path}'`,
    `cat '/proc/self/root${path}'; cat '${folder}'/*; cat '${folder}'/.[a-z]*; cd '${folder}' && cat *`,
    `tar cf - '${path}' 2>/dev/null; grep -r words '${folder}'; cat '${folder}/./../$(basename '${folder}')'/* ; true`,
  ].join('; ')
}

/** Brings a path into the workspace by other names. */
function everyCopy({ path, cwd }: Pick<Theft, 'path' | 'cwd'>): string {
  const names = ['copy', 'second', 'link', 'moved'].map((name) => join(cwd, 'src', name))
  return [
    `cp '${path}' ${names[0]}; ln '${path}' ${names[1]}; ln -s '${path}' ${names[2]}; mv '${path}' ${names[3]}`,
    `cat ${names.join(' ')}; rm -f ${names[2]}; true`,
  ].join('; ')
}

/** A patch whose lines are not there: an answer that quotes those that are would tell them. */
function missingPatch({ path }: Pick<Theft, 'path'>): ScriptedCall {
  const patch = ['*** Begin Patch', `*** Update File: ${path}`, '@@', '-no such line', '+x', '*** End Patch'].join('\n')
  return { name: 'apply_patch', arguments: { patch } }
}

/** Only a command in a sandbox gets a yes. */
const answer = ({ approval }: Asked) =>
  approval.kind === 'command' && approval.sandbox !== 'none' ? 'approved' : 'denied'

function talk(
  { world, attack, cwd, environment = false }: Theft & { readonly environment?: boolean },
  mode: 'read-only' | 'workspace-write',
  ...calls: readonly ScriptedCall[]
) {
  const settings = {
    ...settingsOf[mode],
    ...(environment ? { environment: environmentName, environmentCwd: cwd } : {}),
  }
  return converse(world, { client: world.server.client, attack, cwd, settings, answer }, [{ calls }, { text: 'done' }])
}

function expectRun(theft: Theft, talked: Talk): void {
  expectUntold(theft, talked)
  expectNothingCopied(theft)
}

function expectAsked(theft: Theft, talked: Talk): void {
  expect(talked.asked.map(({ approval }) => approval.kind)).toEqual(['read'])
  expectUntold(theft, talked)
}

/** Neither the model nor the log has the words. */
function expectUntold({ words, world }: Theft, talked: Talk): void {
  expect(toldModel(talked)).not.toContain(words)
  expect(JSON.stringify([talked.items, talked.requests])).not.toContain(words)
  expect(bytesOf(filesOf(world.parleyHome, talked.conversationId))).not.toContain(words)
}

function expectNothingCopied({ cwd, words }: Pick<Theft, 'cwd' | 'words'>): void {
  const copies = readdirSync(join(cwd, 'src'), { withFileTypes: true }).filter((entry) => entry.isFile())
  expect(copies.map(({ name }) => readFileSync(join(cwd, 'src', name), 'latin1')).join('')).not.toContain(words)
}

function textOf(params: Readonly<Record<string, unknown>> | undefined): string {
  const text = params?.['chunkBase64'] ?? params?.['dataBase64'] ?? params?.['chunk']
  return typeof text === 'string' ? `${text}${Buffer.from(text, 'base64').toString('latin1')}` : JSON.stringify(params)
}
