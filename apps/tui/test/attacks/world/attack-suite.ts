import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest'
import { scenarios } from '../scenarios/scenarios.ts'
import { type AttackCase, attackCases, type Mode } from './attack-case.ts'
import { type AttackUser, isRoot, thisUser } from './attack-user.ts'
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

/** Returns the attacks on one user: all in long runs and where there is one user, else every other one, so that each is made. */
function rowsFor(user: AttackUser): readonly Row[] {
  const turn = user === thisUser ? 0 : 1
  return allRows.filter((_, index) => isLong || !isRoot || index % 2 === turn)
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
