import type { TestContext } from 'vitest'
import type { AttackCase, Mode } from '../world/attack-case.ts'
import type { AttackWorld } from '../world/attack-world.ts'

/** An attack that the tables alone cannot tell. */
export type Scenario = (told: Told) => Promise<unknown>

export interface Told {
  readonly attack: AttackCase
  readonly mode: Mode
  readonly world: AttackWorld
  readonly context: TestContext
}

export type Scenarios = Readonly<Record<string, Scenario>>

/** Returns the name of this case in this mode. */
export const nameOf = ({ attack, mode }: Pick<Told, 'attack' | 'mode'>): string => `${attack.id}-${mode}`

/** Skips a case that is the same for every user, unless the user of the tests or a long run tries it. */
export function onlyOnce({ world, context }: Told): void {
  if (world.user.uid !== null && process.env['PARLEY_LONG_TESTS'] !== '1')
    context.skip('the same for every user: done as the user of the tests')
}
