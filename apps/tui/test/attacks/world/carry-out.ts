import { execFileSync } from 'node:child_process'
import type { ApprovalDecision } from '@parley/client'
import type { ScriptedCall, ScriptedStep } from '@parley/testkit'
import type { AttackCase, Input, Mode } from './attack-case.ts'
import { asUser } from './attack-user.ts'
import type { AttackWorld } from './attack-world.ts'
import { type Outcome, watchedPaths } from './check-attack.ts'
import { type Asked, converse, settingsOf } from './converse.ts'
import { lookAt } from './look-at.ts'
import { filledDeep, type Places } from './placeholders.ts'
import { setUp } from './set-up.ts'

/** Limit in time of a command that ends by itself. The full sizes take longer. */
const timeLimitMs = process.env['PARLEY_LONG_TESTS'] === '1' ? 300_000 : 40_000

/** Carries out one attack in one mode: lays out its files, scripts the model, and checks the result. */
export async function carryOut(given: AttackCase, mode: Mode, world: AttackWorld): Promise<Outcome> {
  const name = `${given.id}-${mode}`
  const places: Places = { ...world.places(name), MODE: mode }
  const workspace = places['WS'] ?? ''
  const attack = filledDeep(given, attackPlaces(given, places))
  const { input } = attack
  setUp(input.setup ?? [], workspace, world.user)
  const before = new Map(watchedPaths(attack).map((path) => [path, lookAt(path)]))
  const happenedBeforeAnswer: string[] = []
  const answer = (_: Asked) => {
    happenedBeforeAnswer.push(...[...before].flatMap(([path, look]) => (lookAt(path) === look ? [] : [path])))
    return answerTo(input, mode, world)
  }
  const recipe = {
    client: world.server.client,
    attack: name,
    cwd: input.cwd ?? workspace,
    settings: { ...settingsOf[mode], ...(input.add_dirs === undefined ? {} : { addDirs: [...input.add_dirs] }) },
    answer,
  }
  const memory = async () => (await world.server.client.request('server/diagnostics', {})).rssBytes
  const rssBefore = await memory()
  const talk = await converse(world, recipe, stepsOf(input, mode))
  if (input.after !== undefined) afterwards(input.after, workspace, world)
  const rssGrowthBytes = (await memory()) - rssBefore
  return { attack, mode, world, workspace, talk, before, happenedBeforeAnswer, rssGrowthBytes }
}

/** Folders of the attack, without the one that the starter of the server left open. */
const attackPlaces = ({ id }: AttackCase, places: Places): Places =>
  id === 'A020' ? { ...places, OUT: places['HELD'] ?? '' } : places

/** A yes is said only where a sandbox holds, and not to leaving it: then the attack is carried out, and must come to nothing. */
function answerTo(input: Input, mode: Mode, { enforcement }: AttackWorld): ApprovalDecision {
  const mayRun = enforcement === 'full' && mode === 'ask-unless-known-safe' && input.classify_only !== true
  if (mayRun && input.kind === 'command') return input.answer ?? 'approved'
  return 'denied'
}

function stepsOf(input: Input, mode: Mode): readonly ScriptedStep[] {
  if (input.text !== undefined) return [{ text: input.text }]
  const calls = callsOf(input, mode)
  const further = (input.then_commands ?? []).map((command): ScriptedStep => ({ calls: [shell(command, mode)] }))
  const others = (input.then_calls ?? []).map(
    ({ tool, args }): ScriptedStep => ({ calls: [{ name: tool, arguments: args }] }),
  )
  return [{ calls }, ...further, ...others, { text: 'done' }]
}

function callsOf(input: Input, mode: Mode): readonly ScriptedCall[] {
  if (input.patch !== undefined) return [{ name: 'apply_patch', arguments: { patch: input.patch } }]
  if (input.raw_tool_args !== undefined) return [{ name: 'shell', arguments: input.raw_tool_args }]
  if (input.tool !== undefined) return Array(input.repeat ?? 1).fill({ name: input.tool, arguments: input.args })
  if (input.command !== undefined) return [shell(input.command, mode)]
  throw new Error(`nothing says how to do ${JSON.stringify(input)}`)
}

/** Under `on-request` a command runs in the sandbox unasked, so what is about the question asks to leave it. */
function shell(command: string, mode: Mode): ScriptedCall {
  const escalation = mode === 'on-request' ? { escalate: true, reason: 'to see it asked' } : {}
  return { name: 'shell', arguments: { command, timeout_ms: timeLimitMs, ...escalation } }
}

/** Next action of the user, outside any sandbox: `host: git status`. */
function afterwards(text: string, workspace: string, { user, home }: AttackWorld): void {
  const [program, ...args] = asUser(user, ['sh', '-c', `${text.replace(/^host: /, '')} >/dev/null 2>&1 || true`])
  execFileSync(program, args, { cwd: workspace, env: { PATH: process.env['PATH'] ?? '', HOME: home }, stdio: 'ignore' })
}
