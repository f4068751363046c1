import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Approval, ApprovalDecision } from '@parley/client'
import type { ScriptedStep } from '@parley/testkit'
import { expect } from 'vitest'
import { asUser } from '../world/attack-user.ts'
import type { AttackWorld } from '../world/attack-world.ts'
import { type Asked, converse, settingsOf } from '../world/converse.ts'
import { lookAt } from '../world/look-at.ts'
import { filledDeep, type Places } from '../world/placeholders.ts'
import { setUp } from '../world/set-up.ts'
import type { Swap, SwapCheck } from './guarded-case.ts'

interface Swapped {
  readonly attack: string
  readonly world: AttackWorld
  readonly places: Places
  readonly given: Swap
}

/** Asks, changes what was asked about, and says yes to the first question alone. */
export async function swapMeanwhile({ attack, world, places, given }: Swapped): Promise<void> {
  const { WS: cwd = '' } = places
  const { setup = [], call, swap, checks, ...swapped } = filledDeep(given, places)
  setUp(setup, cwd, world.user)
  const looks = new Map(pathsOf(checks).map((path) => [path, lookAt(path)]))
  const since = new Map<string, string>()
  const settings = { ...settingsOf[modeOf(given)], ...(given.mode === undefined ? {} : { sandbox: given.mode }) }
  let questions = 0
  const answer = async ({ approval, state }: Asked): Promise<ApprovalDecision> => {
    questions += 1
    if (questions > 1 || isShown(approval, swapped.unlessShown)) return 'denied'
    if (swap !== null) setUp(swap, cwd, world.user)
    const { conversationId } = state.core.meta
    if (swapped.settings !== undefined)
      await world.server.client.request('conversation/configure', { conversationId, settings: swapped.settings })
    for (const path of pathsOf(checks)) since.set(path, lookAt(path))
    return swapped.answer ?? 'approved'
  }
  const calls = [{ name: call.tool, arguments: call.args }]
  await using stack = new AsyncDisposableStack()
  // The folder is there when the conversation opens.
  const begin: ScriptedStep = () => {
    stack.use(race(world, cwd, swapped.race))
    return { calls }
  }
  // A racing program may be in the way of a call before it is asked about: the model tries again.
  const again = given.race === undefined ? [] : Array(3).fill({ calls })
  const recipe = { client: world.server.client, attack, cwd, settings, answer }
  const { asked } = await converse(world, recipe, [begin, ...again, { text: 'done' }])
  await stack.disposeAsync()
  if (given.race === undefined) expect(asked.length).toBeGreaterThan(0)
  for (const { absent, unchanged, unchangedSince } of checks) {
    if (absent !== undefined) expect(lookAt(absent)).toBe('nothing')
    if (unchanged !== undefined) expect(lookAt(unchanged)).toBe(looks.get(unchanged))
    if (unchangedSince !== undefined) expect(lookAt(unchangedSince)).toBe(since.get(unchangedSince))
  }
}

const isShown = ({ cwd, files = [] }: Approval, path: string | undefined): boolean =>
  path !== undefined && JSON.stringify([cwd, files]).includes(path)

const modeOf = ({ untrusted }: Swap) => (untrusted === true ? 'ask-unless-known-safe' : 'workspace-write')

const pathsOf = (checks: readonly SwapCheck[]): readonly string[] =>
  checks.flatMap(({ absent, unchanged, unchangedSince }) =>
    [absent, unchanged, unchangedSince].flatMap((path) => path ?? []),
  )

/** Another program of the user that repeats a script until it is disposed of. */
function race({ user }: AttackWorld, cwd: string, script: string | undefined): AsyncDisposable {
  if (script === undefined) return { [Symbol.asyncDispose]: async () => undefined }
  const [program, ...args] = asUser({ ...user, hides: [] }, ['sh', '-c', `while :; do ${script}; done`])
  const child = spawn(program, args, { cwd, stdio: 'ignore', env: { PATH: process.env['PATH'] ?? '' } })
  const exited = once(child, 'exit')
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await exited
    },
  }
}
