import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { giveTo } from '../world/attack-user.ts'
import { converse, settingsOf, type Talk } from '../world/converse.ts'
import { lookAt } from '../world/look-at.ts'
import { nameOf, onlyOnce, type Scenarios, type Told } from './scenario.ts'

const patchOf = (...lines: readonly string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')

async function patchOnce(told: Told, suffix: string, prepare: (workspace: string) => string): Promise<[Talk, string]> {
  const { world, mode } = told
  const name = `${nameOf(told)}-${suffix}`
  const { WS: cwd = '' } = world.places(name)
  const patch = prepare(cwd)
  const recipe = { client: world.server.client, attack: name, cwd, settings: settingsOf[mode] }
  return [await converse(world, recipe, [{ calls: [{ name: 'apply_patch', arguments: { patch } }] }]), cwd]
}

export const patches: Scenarios = {
  /** The file is edited between the question and the yes. */
  async A143(told) {
    onlyOnce(told)
    const { world } = told
    const name = nameOf(told)
    const { WS: cwd = '', OUT: out = '' } = world.places(name)
    writeFileSync(`${out}/shared.txt`, 'one\ntwo\n')
    giveTo(world.user, out)
    const patch = patchOf(`*** Update File: ${out}/shared.txt`, '@@', '-two', '+three')
    let asked = 0
    const recipe = {
      client: world.server.client,
      attack: name,
      cwd,
      settings: settingsOf['workspace-write'],
      answer: () => {
        asked += 1
        if (asked > 1) return 'denied' as const
        writeFileSync(`${out}/shared.txt`, 'edited\ntwo\n')
        return 'approved' as const
      },
    }
    const talk = await converse(world, recipe, [{ calls: [{ name: 'apply_patch', arguments: { patch } }] }])
    expect(talk.asked.map(({ approval }) => approval.kind)).toEqual(['patch', 'patch'])
    expect(new Set(talk.asked.map(({ approval }) => approval.contentHash)).size).toBe(2)
    const [first] = talk.asked
    expect(first?.approval.contentHash).toMatch(/./)
    expect(lookAt(`${out}/shared.txt`)).toMatch(/^file/)
  },

  /** Bytes that are no text, zero bytes, line ends of other systems, no final line end, a file of 50 MB. */
  async A145(told) {
    onlyOnce(told)
    const size = process.env['PARLEY_LONG_TESTS'] === '1' ? 50_000_000 : 1_000_000
    const contents: readonly (readonly [string, Buffer, Buffer | null])[] = [
      ['windows', Buffer.from('one\r\ntwo\r\nthree\r\n'), Buffer.from('one\r\n2\r\nthree\r\n')],
      ['unended', Buffer.from('one\ntwo\nthree'), Buffer.from('one\n2\nthree')],
      ['binary', Buffer.from([0xff, 0xfe, 0, 1, 10, 0x74, 0x77, 0x6f, 10]), null],
      ['zero', Buffer.from('one\ntwo\nth\0ree\n'), null],
      ['large', Buffer.concat([Buffer.alloc(size, 'x\n'), Buffer.from('two\nthree\n')]), null],
    ]
    for (const [suffix, before, after] of contents) {
      const write = (workspace: string) => {
        writeFileSync(`${workspace}/f`, before)
        return patchOf('*** Update File: f', '@@', '-two', '+2')
      }
      const [talk, cwd] = await patchOnce(told, suffix, write)
      const now = readFileSync(`${cwd}/f`)
      const isUntouched = now.equals(before)
      // Either the exact change, every other byte kept, or none at all.
      const wanted = after ?? Buffer.from(before.toString('latin1').replace('two\n', '2\n'), 'latin1')
      expect(isUntouched || now.equals(wanted), suffix).toBe(true)
      expect(talk.state.core.lastTurn?.failure, suffix).toBe(null)
    }
  },
}
