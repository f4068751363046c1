import type { Host } from '@parley/host'
import { type HookEvent, hookMatches, initialState, type ParamsOf, type ResultOf, type Rights } from '@parley/protocol'
import { redactJson } from '@parley/redaction'
import { limitsOfCommand } from '../limits/command-limits.ts'
import { type ClientPlacePorts, clientPlace } from '../policy/client-place.ts'
import type { Clock } from '../ports/clock-and-ids.ts'
import { type ProjectPorts, withProject } from '../project/project-at.ts'
import { invalidParam } from '../replies/rejection.ts'
import { type ConfigHere, configHere, envRulesOf, readConfig } from '../settings/read-config.ts'
import { commonInput } from './hook-input.ts'
import { type PlacedHook, placedHooks } from './placed-hooks.ts'
import { findingOf } from './read-answer.ts'
import { type HookPlace, startHook } from './start-hook.ts'

/** Ports that hooks are tried with. */
export interface TryPorts {
  readonly place: ClientPlacePorts
  readonly clock: Clock
  readonly processes: Pick<Host, 'startGuard' | 'removeWhenKilled'>
}

/** Lists the hooks of a folder, also the ones that do not run there. */
export function listHooks(
  params: ParamsOf<'hook/list'>,
  by: Pick<Rights, 'person'>,
  ports: ProjectPorts,
): Promise<ResultOf<'hook/list'>> {
  return withProject(params, by, ports, ({ project }) => {
    const { values: own } = readConfig(ports.home, {})
    return listOf({ own, project })
  })
}

function listOf(config: Pick<ConfigHere, 'own' | 'project'>): ResultOf<'hook/list'> {
  const { project } = config
  const shown = ({
    name,
    on,
    matcher,
    command,
    timeoutMs,
    required,
    outsideSandbox,
  }: Omit<PlacedHook, 'copy' | 'source'>) => ({
    ...{ name, on, timeoutMs, required, outsideSandbox },
    ...(matcher === undefined ? {} : { matcher }),
    command: typeof command === 'string' ? command : [...command],
  })
  using placed = placedHooks(config, { processes: nothing, copies: null })
  const users = placed.hooks.filter(({ source }) => source === 'user')
  const runs = project?.state === 'trusted' && !project.isSafe
  return {
    hooks: [
      ...users.map((hook) => ({ ...shown(hook), source: 'user' as const, runs: true })),
      ...(project?.hooks ?? []).map((hook) => ({ ...shown(hook), source: 'project' as const, runs })),
    ],
  }
}

const nothing = { startGuard: () => undefined, removeWhenKilled: () => () => undefined }

/** Runs the hooks of a moment once, as a new conversation in the folder would. */
export async function tryHooks(params: ParamsOf<'hook/try'>, ports: TryPorts): Promise<ResultOf<'hook/try'>> {
  const { cwd, on, name } = params
  const place = await placeFor(cwd, ports.place)
  const { conversation } = place
  const input = { hook_event_name: on, ...commonInput(conversation.state), ...samples[on], ...params.input }
  const subject = subjectOf(on, input)
  using placed = placedHooks(configHere(cwd, {}, ports.place), { processes: ports.processes, copies: null })
  const hooks = placed.hooks.filter(
    (hook) => hook.on === on && (name === undefined || hook.name === name) && hookMatches(hook.matcher, on, subject),
  )
  const runs: ResultOf<'hook/try'>['runs'] = []
  for (const hook of hooks) {
    const start = { input: JSON.stringify(input), signal: new AbortController().signal }
    const { exitCode, durationMs, ...end } = await startHook(hook, start, { place, clock: ports.clock })
    const { updatedInput, ...finding } = findingOf(hook, { ...end, exitCode, durationMs })
    runs.push(
      withoutSecrets(
        {
          hook: { name: hook.name, on, source: hook.source },
          ...finding,
          ...(updatedInput === undefined ? {} : { updatedInput: { ...updatedInput } }),
          ...(exitCode === null ? {} : { exitCode }),
          durationMs,
        },
        ports.place,
      ),
    )
  }
  return { input, runs }
}

type TriedHook = ResultOf<'hook/try'>['runs'][number]

/** Returns a run for display without the user's secrets, which a hook may have printed. */
function withoutSecrets(run: TriedHook, { redaction }: Pick<ClientPlacePorts, 'redaction'>): TriedHook {
  return JSON.parse(redactJson(JSON.stringify(run), redaction.text))
}

/** Returns the limits of a new conversation in a folder. Throws `invalidParams` for one on another machine. */
async function placeFor(cwd: string, ports: ClientPlacePorts): Promise<HookPlace> {
  const place = await clientPlace({ cwd }, ports)
  if ('reason' in place) throw invalidParam('cwd', `Hooks are tried on this machine, and ${place.reason}.`)
  const { environment, values, settings: given } = place
  const { enforcement: found } = await environment.sandboxes.report()
  const settings = { ...given, enforcement: given.sandbox === 'danger-full-access' ? ('none' as const) : found }
  const { core, window } = initialState('hooks')
  const state = { core: { ...core, meta: { ...core.meta, cwd: place.cwd }, settings }, window }
  const { writableRoots, unixSockets = false } = settings
  const scratch = () => Promise.resolve(null)
  const folders = [place.cwd, ...writableRoots]
  return {
    conversation: { state, started: false, mayAct: () => Promise.resolve() },
    limits: {
      describe: (run) => limitsOfCommand({ environment, home: ports.home, folders, unixSockets, scratch }, run),
      prepare: (limits) => environment.sandboxes.prepare(limits),
      enforcementFor: () => found,
      whenNarrowed: () => () => undefined,
    },
    toolPorts: { environment, envRules: envRulesOf(values.shell_environment), redaction: ports.redaction },
  }
}

const call = { tool_name: 'shell', tool_use_id: 'i-0', tool_input: { command: 'ls' }, title: 'ls', command: 'ls' }

/** Fields that a hook reads when it is tried. */
const samples: Readonly<Record<HookEvent, Readonly<Record<string, unknown>>>> = {
  SessionStart: { source: 'startup' },
  SessionEnd: {},
  UserPromptSubmit: { prompt: 'hello' },
  PreToolUse: call,
  PostToolUse: { ...call, status: 'completed', tool_response: '', exit_code: 0 },
  PermissionRequest: { ...call, kind: 'command', reason: 'a try' },
  PermissionDecision: { ...call, decision: 'approved', by: 'parley' },
  PreCompact: { trigger: 'manual', custom_instructions: '' },
  Stop: { stop_hook_active: false, last_assistant_message: 'Done.' },
  Notification: { notification_type: 'turn_end', title: 'a try', message: 'Done.' },
}

const subjects: Readonly<Partial<Record<HookEvent, string>>> = {
  SessionStart: 'source',
  PreCompact: 'trigger',
  Notification: 'notification_type',
}

function subjectOf(on: HookEvent, input: Readonly<Record<string, unknown>>): string {
  return String(input[subjects[on] ?? 'tool_name'] ?? '')
}
