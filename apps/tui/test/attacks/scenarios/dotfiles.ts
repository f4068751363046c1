import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Parley } from '@parley/client'
import type { ScriptedStep } from '@parley/testkit'
import { expect } from 'vitest'
import { giveTo } from '../world/attack-user.ts'
import { converse, settingsOf } from '../world/converse.ts'
import { lookAt } from '../world/look-at.ts'
import { nameOf, onlyOnce, type Scenarios, type Told } from './scenario.ts'

interface Attacked {
  readonly client: Parley
  readonly cwd: string
  /** Relative to the workspace. */
  readonly files: readonly string[]
  /** Done when the conversation is open, before anything of the model's. */
  readonly meanwhile?: () => void
}

/** Tries a command that writes to all of the files, which must stay as they are, and a patch of each, which must ask first. */
async function expectKept(told: Told, { client, cwd, files, meanwhile }: Attacked): Promise<string> {
  const { world, mode } = told
  let before: readonly string[] = []
  const looks = () => files.map((file) => lookAt(join(cwd, file)))
  const writes = files.map((file) => `mkdir -p ${dirname(file)}; echo evil >> ${file}`).join('; ')
  const command = { name: 'shell', arguments: { command: `${writes}; true` } }
  const laidOut = () => {
    meanwhile?.()
    before = looks()
    return { calls: [command] }
  }
  const patches = files.map((file): ScriptedStep => {
    return () => ({ calls: [{ name: 'apply_patch', arguments: { patch: patchOf(file, lookAt(join(cwd, file))) } }] })
  })
  const recipe = { client, attack: `${nameOf(told)}-kept`, cwd, settings: settingsOf[mode] }
  const { asked, events, conversationId } = await converse(world, recipe, [laidOut, ...patches, { text: 'done' }])
  if (world.enforcement === 'full') expect(events.some(({ event }) => event.type === 'execution.started')).toBe(true)
  expect(asked.filter(({ approval }) => approval.kind === 'patch').length).toBe(files.length)
  expect(looks()).toEqual(before)
  return conversationId
}

function patchOf(file: string, look: string): string {
  const what = look === 'nothing' ? `*** Add File: ${file}` : `*** Update File: ${file}\n@@`
  return `*** Begin Patch\n${what}\n+evil\n*** End Patch`
}

/** A file of the home moves into the workspace, and a link takes its place. */
function linkInto(told: Told, { from, to }: { readonly from: string; readonly to: string }): void {
  renameSync(from, to)
  symlinkSync(to, from)
  giveTo(told.world.user, dirname(to))
}

const refused = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'opened',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )

export const dotfiles: Scenarios = {
  async P129(told) {
    const { world } = told
    const { WS: cwd = '' } = world.places(nameOf(told))
    const home = world.makeHome()
    writeFileSync(join(cwd, 'shared.config'), '[core]\n\thooksPath = tools/hooks\n')
    mkdirSync(join(cwd, '.githooks'))
    writeFileSync(join(cwd, '.githooks/pre-push'), '#!/bin/sh\n')
    writeFileSync(
      join(home, '.gitconfig'),
      `[core]\n\thooksPath = .githooks\n[includeIf "onbranch:x"]\n\tpath = ${cwd}/shared.config\n`,
    )
    giveTo(world.user, cwd)
    giveTo(world.user, home)
    await using server = await world.another({ home })
    await expectKept(told, {
      client: server.client,
      cwd,
      files: ['shared.config', '.githooks/pre-push', '.githooks/pre-commit', 'tools/hooks/pre-commit'],
    })
  },

  async P422(told) {
    const { world } = told
    const { WS: cwd = '', OUT: elsewhere = '' } = world.places(nameOf(told))
    const home = world.makeHome()
    const [config, rules] = ['config.toml', 'policy.toml'].map((name) => join(home, '.parley', name))
    if (config === undefined || rules === undefined) throw new Error('both are named')
    await using server = await world.another({ home })
    const { client } = server
    // Made while a conversation is open, they are kept all the same.
    const meanwhile = () => {
      linkInto(told, { from: config, to: join(cwd, 'parley.toml') })
      symlinkSync(join(cwd, 'rules/policy.toml'), rules)
    }
    const conversationId = await expectKept(told, {
      client,
      cwd,
      files: ['parley.toml', 'rules/policy.toml'],
      meanwhile,
    })
    const sentence = `${config} leads to ${cwd}/parley.toml, which lies in ${cwd}`
    expect(await refused(client.request('conversation/create', { cwd }))).toContain(sentence)
    expect(await refused(client.request('conversation/create', { cwd: elsewhere, addDirs: [cwd] }))).toContain(sentence)
    expect(await refused(client.request('conversation/resume', { conversationId, overrides: { cwd } }))).toContain(
      sentence,
    )
    // The link to rules leads nowhere as long as its target is missing, and rules that cannot be read open nothing.
    expect(await refused(client.request('conversation/create', { cwd: elsewhere }))).toContain(`${rules} is a link to`)
    mkdirSync(join(cwd, 'rules'), { recursive: true })
    writeFileSync(join(cwd, 'rules/policy.toml'), '')
    giveTo(world.user, join(cwd, 'rules'))
    expect(await refused(client.request('conversation/create', { cwd: elsewhere }))).toBe('opened')
  },

  async P423(told) {
    onlyOnce(told)
    const { world } = told
    const { WS: cwd = '', OUT: elsewhere = '' } = world.places(nameOf(told))
    const home = world.makeHome()
    linkInto(told, { from: join(home, '.parley'), to: join(elsewhere, 'parley') })
    await using server = await world.another({ home })
    const sentence = `${home}/.parley leads to ${elsewhere}/parley`
    expect(await refused(server.client.request('conversation/create', { cwd: elsewhere }))).toContain(sentence)
    const added = { cwd, addDirs: [elsewhere] }
    expect(await refused(server.client.request('conversation/create', added))).toContain(sentence)
    expect(await refused(server.client.request('conversation/create', { cwd }))).toBe('opened')
  },
}
