import { execFileSync } from 'node:child_process'
import { chmodSync, symlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { waitUntil } from '@parley/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serverIn } from '../tools/mcp/support/mcp-place.ts'
import { type FarFolder, type FarMachine, startFarMachine } from './support/far-machine.ts'
import { calling, inBox, placeFor } from './support/far-talk.ts'
import { passedOnStore } from './support/passed-on-store.ts'

let machine: FarMachine

beforeAll(async () => {
  machine = await startFarMachine()
})

afterAll(() => machine[Symbol.asyncDispose]())

const script = fileURLToPath(new URL('../tools/mcp/support/ugly-server.mjs', import.meta.url))

/** Section of a server, which writes its diary to a file by which its process is told from others. */
function server(command: string, args: readonly string[]): string {
  return `\n[mcp_servers.ugly]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`
}

const isOn = (diary: string) => execFileSync('ps', ['-axo', 'args='], { encoding: 'utf8' }).includes(`plain ${diary}`)
const patience = { mcpPatience: { firstRequestMs: 15_000, restartDelaysMs: [] } }

describe('a tool server that is a program', () => {
  it.each([
    ['of a conversation of this server', {}],
    ['of a conversation of a store', { store: passedOnStore() }],
  ])('%s runs on the machine of the conversation and ends with it', async (_whose, ports) => {
    await using place = placeFor(machine.newFolder())
    const diary = `${place.far.work}/diary`
    const line = `pwd > where; echo "$HOME" >> where; exec ${process.execPath} ${script} plain ${diary}`
    const talk = await place.talk(
      calling({ name: 'mcp__ugly__echo', args: { a: 1 } }),
      { ...patience, ...ports, config: server('sh', ['-c', line]) },
      inBox,
    )
    const { watched } = talk
    await watched.send('go')
    await watched.decide('approved')
    await watched.turnEnded()
    expect(watched.items().filter(({ type }) => type === 'toolCall')).toMatchObject([
      { status: 'completed', modelText: expect.stringContaining('{"a":1}') },
    ])
    expect(place.far.read('where')).toBe(`${place.far.work}\n${place.far.home}\n`)
    expect(isOn(diary)).toBe(true)
    await talk.server.close()
    await waitUntil(() => !isOn(diary), { what: 'the end of the tool server' })
  })

  it.each([
    ['its script', () => server(process.execPath, ['server.mjs'])],
    ['its program', () => server('./run', [])],
    ['a program that a search path finds', (far: FarFolder) => server(linked(far), [])],
  ])('is not started where commands may write to %s', async (_what, section) => {
    await using place = placeFor(machine.newFolder())
    place.far.write('server.mjs', '')
    place.far.write('run', '#!/bin/sh\n')
    chmodSync(`${place.far.work}/run`, 0o755)
    const talk = await place.talk(calling(), { ...patience, config: section(place.far) }, inBox)
    await talk.watched.send('go')
    const { error } = await serverIn(talk, 'failed')
    expect(error).toContain('where commands of the conversation may write')
  })
})

/** Returns the name by which the search path finds the program of a folder. */
function linked({ work, bin }: FarFolder): string {
  const name = `run-in-${basename(work)}`
  symlinkSync(`${work}/run`, `${bin}/${name}`)
  return name
}
