import { canBeOrdinary } from '@parley/testkit/ordinary-user'
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest'
import { scenarios } from '../scenarios/scenarios.ts'
import { type AttackCase, attackCases, type Mode } from './attack-case.ts'
import { type AttackUser, thisUser } from './attack-user.ts'
import { type AttackWorld, startAttackWorld } from './attack-world.ts'
import { carryOut } from './carry-out.ts'
import { checkAttack, type Outcome } from './check-attack.ts'
import { hasBegun } from './converse.ts'

interface Row {
  readonly title: string
  readonly attack: AttackCase
  readonly mode: Mode
}

const allRows: readonly Row[] = attackCases.flatMap((attack) =>
  attack.modes.map((mode) => ({ title: `${attack.id} ${mode}: ${attack.name}`, attack, mode })),
)
const isTold = ({ attack }: Row) => attack.scenario === true
const isAccepted = ({ attack }: Row) => attack.accepted !== undefined
const isHeavy = ({ attack }: Row) => attack.heavy === true
const isLight = (row: Row) => !isTold(row) && !isAccepted(row) && !isHeavy(row)

const limited: readonly Mode[] = ['read-only', 'workspace-write']
const asked = 'no whole sandbox here: it asked, and nothing happened before the answer'

const isLong = process.env['PARLEY_LONG_TESTS'] === '1'

/** Each attack once: in one of its modes, and by one of two users where there are two. Modes and users take turns. */
const chosenRows: readonly (Row & { readonly isOrdinary: boolean })[] = attackCases.flatMap((attack, index) => {
  const mode = attack.modes[index % attack.modes.length]
  // What is told in code is mostly the same for every user, and then told by this one alone.
  const isOrdinary = canBeOrdinary && attack.scenario !== true && Math.floor(index / 2) % 2 === 1
  return allRows.filter((row) => row.attack === attack && row.mode === mode).map((row) => ({ ...row, isOrdinary }))
})

/** Returns the attacks on one user: every one in each of its modes in long runs, else the chosen ones. */
function rowsFor(user: AttackUser): readonly Row[] {
  return isLong ? allRows : chosenRows.filter(({ isOrdinary }) => isOrdinary === (user !== thisUser))
}

/** Attacks of the tables on one real server of this user. */
export function describeAttacks(user: AttackUser): void {
  const rows = rowsFor(user)
  let world: AttackWorld
  beforeAll(async () => {
    world = await startAttackWorld(user)
  }, 30_000)
  afterAll(() => world?.[Symbol.asyncDispose]())

  describe.concurrent('side by side', { timeout: 60_000 }, () => {
    test.for(rows.filter(isLight))('$title', (row, context) => attempt(row, context))
    test.for(rows.filter(isAccepted))('$title (an accepted limit)', async ({ attack, mode }, context) => {
      if (world.enforcement !== 'full') context.skip(asked)
      const outcome = await carryOut(attack, mode, world)
      // A case that no longer succeeds is no limit any more, and leaves the list.
      await expect(checkAttack(outcome)).rejects.toThrow()
    })
    test.for(rows.filter(isTold))('$title', async ({ attack, mode }, context) => {
      const tell = scenarios[attack.id]
      if (tell === undefined) throw new Error('nobody has told it')
      await tell({ attack, mode, world, context })
    })
  })

  describe('one at a time', { timeout: 400_000 }, () => {
    test.for(rows.filter(isHeavy))('$title', (row, context) => attempt(row, context))
  })

  async function attempt({ attack, mode }: Row, context: TestContext): Promise<void> {
    const outcome = await carryOut(attack, mode, world)
    expectToHaveRun(outcome)
    await checkAttack(outcome)
    if (isAskedInstead(outcome)) context.skip(asked)
  }
}

const isLimitedCommand = ({ attack, mode }: Outcome) => attack.input.kind === 'command' && limited.includes(mode)

/** Checks that, where the sandbox is whole, the command of the attack did start. */
function expectToHaveRun(outcome: Outcome): void {
  const { attack, talk, world } = outcome
  const isWanted = attack.checks.some(({ decision }) => decision !== undefined) || attack.not_run === true
  if (world.enforcement !== 'full' || !isLimitedCommand(outcome) || isWanted) return
  expect(hasBegun(talk), JSON.stringify(talk.items.at(-2))).toBe(true)
}

const isAskedInstead = (outcome: Outcome) =>
  outcome.world.enforcement !== 'full' && isLimitedCommand(outcome) && outcome.talk.asked.length > 0
