import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { waitUntil } from '@parley/testkit'
import { expect } from 'vitest'
import { asUser, giveTo } from '../world/attack-user.ts'
import type { AttackWorld } from '../world/attack-world.ts'
import { converse, hasBegun, settingsOf } from '../world/converse.ts'
import { lookAt } from '../world/look-at.ts'
import { filled, type Places } from '../world/placeholders.ts'
import type { Way } from './guarded-case.ts'

interface Exchanged {
  readonly attack: string
  readonly world: AttackWorld
  readonly places: Places
  /** Relative to the workspace. */
  readonly target: string
  readonly way: Way
}

/** A command waits until another program has exchanged the path, and then writes it by every name that it knows. */
export async function exchange({ attack, world, places, target, way }: Exchanged): Promise<void> {
  const { WS: cwd = '' } = places
  const before = lookAt(join(cwd, target))
  const signals = join(cwd, 'src/signals')
  mkdirSync(signals)
  giveTo(world.user, signals)
  const command = `: > src/signals/began; until [ -e src/signals/go ]; do sleep 0.02; done; echo evil >> ${target}; echo evil > ${target}; echo evil > src/mine; rm -f ${target}; echo evil > ${target}; true`
  const talk = converse(
    world,
    {
      client: world.server.client,
      attack,
      cwd,
      settings: settingsOf['workspace-write'],
      answer: ({ approval }) => (approval.kind === 'command' ? 'approved' : 'denied'),
    },
    [{ calls: [{ name: 'shell', arguments: { command, timeout_ms: 20_000 } }] }, { text: 'done' }],
  )
  await waitUntil(() => existsSync(join(signals, 'began')), { what: 'the command' })
  asAnotherProgram(world, cwd, `T=${target}; D=${dirname(target)}; ${filled(way.script, places)}`)
  writeFileSync(join(signals, 'go'), '')
  expect(hasBegun(await talk)).toBe(true)
  expect([before, 'nothing']).toContain(lookAt(join(cwd, target)))
}

/** Action of a program of the user, outside any sandbox. */
function asAnotherProgram({ user, home }: AttackWorld, cwd: string, script: string): void {
  const [program, ...args] = asUser({ ...user, hides: [] }, ['sh', '-e', '-c', script])
  execFileSync(program, args, { cwd, env: { PATH: process.env['PATH'] ?? '', HOME: home }, stdio: 'pipe' })
}
