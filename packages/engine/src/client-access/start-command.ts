import {
  filterOutput,
  type Host,
  isWeaker,
  noSandbox,
  type OutputStream,
  type ProcessExit,
  type Sandbox,
  type SandboxLimits,
} from '@parley/host'
import { sandboxLimits } from '@parley/policy'
import type { Enforcement } from '@parley/protocol'
import type { Environment } from '@parley/workspace'
import { limitsOfCommand } from '../limits/command-limits.ts'
import { type ClientPlacePorts, clientPlace, whyNot } from '../policy/client-place.ts'
import { judgeCommand } from '../policy/judge-command.ts'
import type { ClientCommand, StartedCommand } from '../ports/client-commands.ts'
import { envRulesOf } from '../settings/read-config.ts'
import { commandVariables } from '../tools/run-shell-command.ts'

export interface CommandPorts extends ClientPlacePorts {
  readonly processes: Pick<Host, 'spawnProcess'>
}

/** Judges and starts a command of a client: see `StartCommand`. */
export async function startClientCommand(command: ClientCommand, ports: CommandPorts): Promise<StartedCommand> {
  const { home, redaction } = ports
  const { argv, env, overrides } = command
  const place = await clientPlace({ ...overrides, cwd: command.cwd }, ports)
  if ('reason' in place) return { kind: 'refused', ...place }
  const { cwd, environment, values, settings } = place
  const words = withVariables(argv, env)
  const { facts, given, decision } = await judgeCommand({ cwd, command: words }, place, ports)
  if (decision.verdict !== 'allow') return { kind: 'refused', reason: whyNot(decision) }
  const { writableRoots, unixSockets = false } = settings
  const folders = [cwd, ...writableRoots]
  const run = sandboxLimits(facts, decision.run, given)
  const scratch = () => Promise.resolve(null)
  try {
    const limits = await limitsOfCommand({ environment, home, folders, unixSockets, scratch }, run)
    const sandbox = limits === null ? noSandbox : await preparedFor(limits, environment, given.enforcement)
    const rules = { environment, envRules: envRulesOf(values.shell_environment), redaction }
    const variables = commandVariables(rules, folders)
    const real = (await environment.rootsNow([cwd])).real[0] ?? cwd
    return await started({ ...command, cwd: real, env: merged(variables, env) }, { environment, sandbox, ports })
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { kind: 'failed', reason: error.message }
  }
}

/** Returns the command as `env` would run it, so that policy judges what its variables may change. */
function withVariables(argv: readonly string[], env: ClientCommand['env']): string[] {
  const entries = Object.entries(env)
  if (entries.length === 0) return [...argv]
  const words = entries.flatMap(([name, value]) => (value === null ? ['-u', name] : []))
  const values = entries.flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]))
  return ['env', ...words, ...values, ...argv]
}

function merged(variables: Readonly<Record<string, string>>, env: ClientCommand['env']): Record<string, string> {
  const all = { ...variables, ...env }
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
}

async function preparedFor(limits: SandboxLimits, { sandboxes }: Environment, decided: Enforcement): Promise<Sandbox> {
  const sandbox = await sandboxes.prepare(limits)
  const { enforcement, reason } = await sandboxes.report()
  if (!isWeaker(enforcement, decided)) return sandbox
  sandbox.release?.()
  throw new Error(`The sandbox is weaker than when this was decided. ${reason}`)
}

interface Starting {
  readonly environment: Environment
  readonly sandbox: Sandbox
  readonly ports: CommandPorts
}

async function started(
  { argv, cwd, env, terminal, pipeStdin, onOutput }: Omit<ClientCommand, 'env'> & { env: Record<string, string> },
  { environment, sandbox, ports: { redaction, processes } }: Starting,
): Promise<StartedCommand> {
  const exit = Promise.withResolvers<ProcessExit>()
  const filterOf = (stream: OutputStream) => filterOutput(redaction.filter(), (chunk) => onOutput(stream, chunk))
  const filters = { stdout: filterOf('stdout'), stderr: filterOf('stderr'), pty: filterOf('pty') }
  const process = processes.spawnProcess(
    { argv, cwd, env, terminal, pipeStdin },
    { sandbox, onOutput: (stream, chunk) => filters[stream].take(chunk), onExit: exit.resolve },
  )
  const failure = await process.started
  if (failure?.subject === 'sandbox') await environment.sandboxes.recheck()
  if (failure !== null) return { kind: 'failed', reason: failure.message }
  const ended = Promise.all([exit.promise, process.closed]).then(([end]) => {
    for (const filter of Object.values(filters)) filter.end(end.signal !== null)
    return end
  })
  return { kind: 'running', process, exit: ended }
}
