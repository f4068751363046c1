import { resolve } from 'node:path'
import type { Config } from '@parley/config'
import { commandEnv } from '@parley/host'
import { type CommandFacts, type DecideSettings, type Decision, decide, gatherCommandFacts } from '@parley/policy'
import type { Enforcement, ParamsOf, SandboxMode, Settings } from '@parley/protocol'
import type { Environment } from '@parley/workspace'
import { envRulesOf } from '../settings/read-config.ts'
import { fileSurroundings } from '../tools/contract/define-tool.ts'
import type { PolicyPorts } from './read-rules.ts'

/** Command that no conversation has called. */
export type LooseCommand = Pick<ParamsOf<'policy/test'>, 'cwd' | 'command' | 'asks'>

/** Machine of a call that no conversation has, and the configuration, settings and rules of its folder. */
export interface CallSetting {
  readonly environment: Environment
  readonly values: Config
  readonly settings: Settings
  readonly rules: DecideSettings['rules']
}

interface JudgedCommand {
  readonly facts: CommandFacts
  readonly given: DecideSettings
  readonly decision: Decision
}

/** Decides about a command as a new conversation would. Reads names and links of files; runs nothing. */
export async function judgeCommand(
  command: LooseCommand,
  setting: CallSetting,
  { shellParser }: Pick<PolicyPorts, 'shellParser'>,
): Promise<JudgedCommand> {
  const given = await decideSettingsIn(setting)
  const facts = await gather(command, setting, shellParser)
  return { facts, given, decision: decide(facts, given) }
}

/** Resolves to what decisions about a call without a conversation depend on. */
export async function decideSettingsIn({ environment, settings, rules }: CallSetting): Promise<DecideSettings> {
  const { approvalPolicy, sandbox: sandboxMode, network = false } = settings
  const enforcement = await enforcementThere(environment, sandboxMode)
  return { rules, sessionGrants: [], approvalPolicy, sandboxMode, enforcement, network }
}

async function gather(
  { cwd, command, asks }: LooseCommand,
  { environment, values, settings: { writableRoots } }: CallSetting,
  shell: PolicyPorts['shellParser'],
) {
  const workspace = { cwd: resolve(cwd), roots: [resolve(cwd), ...writableRoots] }
  const { roots, secrets, files } = await fileSurroundings(environment, workspace)
  const searchPath = commandEnv(environment.env, envRulesOf(values.shell_environment))['PATH'] ?? ''
  const argv = typeof command === 'string' ? [environment.shell, '-c', command] : command
  return gatherCommandFacts(
    { tool: 'shell', argv, cwd: workspace.cwd, background: false, ...requestOf(asks) },
    { roots, searchPath, secrets, shell, files },
  )
}

function requestOf(asks: LooseCommand['asks']) {
  const request = { reason: 'for this test' }
  return {
    escalation: asks === 'outsideSandbox' ? request : null,
    ...(asks === 'network' ? { network: request } : {}),
  }
}

/** Resolves to the enforcement of a sandbox mode in an environment. */
export async function enforcementThere(environment: Environment, sandbox: SandboxMode): Promise<Enforcement> {
  return sandbox === 'danger-full-access' ? 'none' : (await environment.sandboxes.report()).enforcement
}
