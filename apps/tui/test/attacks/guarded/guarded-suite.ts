import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest'
import { type AttackUser, giveTo } from '../world/attack-user.ts'
import { type AttackWorld, startAttackWorld } from '../world/attack-world.ts'
import { lookAt } from '../world/look-at.ts'
import { filled, filledDeep } from '../world/placeholders.ts'
import { setUp } from '../world/set-up.ts'
import { exchange } from './exchanges.ts'
import { type Clients, type Frontend, frontends, openClients } from './frontends.ts'
import { type GuardedThing, type KeptSecret, type Swap, tables, type Way } from './guarded-case.ts'
import { thefts } from './secrets.ts'
import { swapMeanwhile } from './swaps.ts'

interface Told {
  readonly id: string
  readonly title: string
  /** True for what only full enforcement promises. */
  readonly onlyFull?: true
  readonly carryOut: (world: AttackWorld, clients: Clients) => Promise<void>
}

/** All attacks of the table: each thing by each frontend, each exchange in each way, each swap. */
const attacks: readonly Told[] = [
  ...tables.things.flatMap((thing) => frontendsOf(thing).map((frontend) => guardedAttack(thing, frontend))),
  ...tables.exchanged.flatMap((thing) => waysOf(thing).map((way) => exchangeAttack(thing, way))),
  ...tables.swaps.map(swapAttack),
  ...tables.secrets.flatMap((secret) =>
    Object.keys(thefts).map((way) => theftAttack(secret, way as keyof typeof thefts)),
  ),
]

const isLong = process.env['PARLEY_LONG_TESTS'] === '1'
/** Attacks of which one is carried out in each world of a short run. A prime, so that every kind is among them. */
const stride = 83

/** `turn` counts the worlds of one run, each of which takes other attacks. */
export function describeGuarded(user: AttackUser, wanted: 'full' | 'partial', turn: number): void {
  let world: AttackWorld | null = null
  let clients: Clients | null = null
  const stack = new AsyncDisposableStack()
  beforeAll(async () => {
    world = stack.use(await startAttackWorld(user))
    if (world.enforcement === wanted) clients = await openClients(world, stack)
  }, 60_000)
  afterAll(() => stack.disposeAsync(), 120_000)

  const promised = attacks.filter(({ onlyFull }) => wanted === 'full' || onlyFull !== true)
  const chosen = promised.filter((_, index) => isLong || index % stride === (turn * 3) % stride)
  describe('one after another', { timeout: 60_000 }, () => {
    test.for(chosen)('$id $title', async ({ carryOut }, context) => {
      if (world === null || clients === null) return skip(context, world?.enforcement ?? 'none', wanted)
      await carryOut(world, clients)
    })
  })
}

function skip(context: TestContext, enforcement: string, wanted: string): void {
  context.skip(`enforcement is ${enforcement} here, and this is about ${wanted}`)
}

function frontendsOf({ only }: GuardedThing): readonly Frontend[] {
  return only ?? (Object.keys(frontends) as Frontend[])
}

function waysOf({ target }: GuardedThing): readonly Way[] {
  return tables.ways.filter(({ notAtTop }) => notAtTop !== true || target.includes('/'))
}

function guardedAttack(thing: GuardedThing, frontend: Frontend): Told {
  const id = `${thing.id}-${frontend}`
  return {
    id,
    title: `${thing.name} stays as it is`,
    async carryOut(world, clients) {
      const places = world.places(id)
      const { WS: workspace = '' } = places
      const { setup = [], cwd = workspace } = filledDeep(thing, places)
      setUp(setup, workspace, world.user)
      const target = `${workspace}/${thing.target}`
      const before = lookAt(target)
      const write = thing.write === undefined ? everyWrite(target) : filled(thing.write, places)
      await frontends[frontend]({ attack: id, world, clients, cwd, target, write })
      expect(lookAt(target)).toBe(before)
    },
  }
}

/** Writes, replaces, removes and renames a path and the folder that it is in. */
function everyWrite(target: string): string {
  const folder = target.slice(0, target.lastIndexOf('/'))
  return [
    `echo evil >> ${target}`,
    `mkdir -p ${folder}; echo evil > ${target}`,
    `echo evil > src/evil; mv -f src/evil ${target}`,
    `ln -sfn evil ${target}; rm -f ${target}; mv ${target} src/away`,
    `mv ${folder} src/folder; rm -rf ${folder}; true`,
  ].join('; ')
}

function exchangeAttack(thing: GuardedThing, way: Way): Told {
  const attack = `${thing.id}${way.id}`
  return {
    id: attack,
    title: `${thing.name}, ${way.name} during a command, is as before`,
    async carryOut(world) {
      const places = world.places(attack)
      const { setup = [] } = filledDeep(thing, places)
      setUp(setup, places['WS'] ?? '', world.user)
      await exchange({ attack, world, places, target: thing.target, way })
    },
  }
}

function swapAttack(given: Swap): Told {
  return {
    id: given.id,
    title: given.name,
    carryOut: (world) => swapMeanwhile({ attack: given.id, world, places: world.places(given.id), given }),
  }
}

/** Reading is limited under full enforcement alone; there each secret is read in each way. */
function theftAttack(secret: KeptSecret, way: keyof typeof thefts): Told {
  const attack = `${secret.id}-${way}`
  return {
    id: attack,
    title: `${secret.name} is not read`,
    onlyFull: true,
    async carryOut(world, clients) {
      const places = world.places(attack)
      const { WS: cwd = '' } = places
      const { setup = [], place, path } = filledDeep(secret, places)
      const words = `plain words of ${attack}`
      const kept = join(world.home, place)
      setUp([{ file: kept, content: `${words}\n` }, ...setup], cwd, world.user)
      giveTo(world.user, kept)
      await thefts[way]({ attack, world, clients, cwd, path: path ?? kept, words })
      expect(readFileSync(kept, 'utf8')).toBe(`${words}\n`)
      rmSync(kept)
    },
  }
}
