import { resolve } from 'node:path'
import { type Config, settingsFromConfig } from '@parley/config'
import { commandEnv } from '@parley/host'
import {
  alwaysRulesFor,
  type DecideSettings,
  type Decision,
  decide,
  factsOfPart,
  gatherCommandFacts,
  trustedRules,
} from '@parley/policy'
import type { Enforcement, Judgement, ParamsOf, ResultOf, SandboxMode } from '@parley/protocol'
import type { Environment } from '@parley/workspace'
import { fileSurroundings } from '../../tools/define-tool.ts'
import { assertOwnFilesOutside } from '../limits/workspace-folders.ts'
import { existingFolder } from '../settings/existing-folder.ts'
import { configHere, envRulesOf } from '../settings/read-config.ts'
import { type PolicyPorts, readWantedRules } from './read-rules.ts'

/** Decides about a command as a new conversation would. Reads names and links of files; runs nothing. Throws `cwdMissing`. */
export async function testCommand(
  params: ParamsOf<'policy/test'>,
  ports: PolicyPorts,
): Promise<ResultOf<'policy/test'>> {
  const { effective, own, project } = configHere(params.cwd, params, ports)
  const { values } = effective
  // A decision about a command does not depend on the provider.
  const settings = settingsFromConfig(values, { id: 'none', model: 'none' }, params)
  const { approvalPolicy, sandbox, environment: environmentName, writableRoots } = settings
  if (environmentName === undefined) assertOwnFilesOutside([existingFolder(params.cwd), ...writableRoots], ports.home)
  const { environment, release } = ports.environments.take({ environment: environmentName, config: values })
  try {
    const rules = [...(await readWantedRules(ports.userRules, params)), ...trustedRules(project, own)]
    const enforcement = await enforcementThere(environment, sandbox)
    const facts = await gather(params, { environment, values, writableRoots }, ports)
    const network = settings.network === true
    const given: DecideSettings = {
      rules,
      sessionGrants: [],
      approvalPolicy,
      sandboxMode: sandbox,
      enforcement,
      network,
    }
    const always = alwaysRulesFor(facts, given)
    return {
      ...judgementOf(decide(facts, given)),
      argv: [...facts.argv],
      approvalPolicy,
      sandbox,
      enforcement,
      understood: facts.understood,
      ...(facts.notUnderstoodBecause === undefined ? {} : { because: facts.notUnderstoodBecause }),
      parts: facts.parts.map((part) => ({
        argv: [...part.argv],
        program: part.programPath,
        ...judgementOf(decide(factsOfPart(facts, part), given)),
      })),
      ...(always === null ? {} : { always: always.label }),
    }
  } finally {
    await release()
  }
}

interface CommandSetting {
  readonly environment: Environment
  readonly values: Config
  readonly writableRoots: readonly string[]
}

async function gather(
  { cwd, command, asks }: ParamsOf<'policy/test'>,
  setting: CommandSetting,
  { shellParser }: PolicyPorts,
) {
  const { environment, values, writableRoots } = setting
  const workspace = { cwd: resolve(cwd), roots: [resolve(cwd), ...writableRoots] }
  const { roots, secrets, files } = await fileSurroundings(environment, workspace)
  const searchPath = commandEnv(environment.env, envRulesOf(values.shell_environment))['PATH'] ?? ''
  const argv = typeof command === 'string' ? [environment.shell, '-c', command] : command
  return gatherCommandFacts(
    { tool: 'shell', argv, cwd: workspace.cwd, background: false, ...requestOf(asks) },
    { roots, searchPath, secrets, shell: shellParser, files },
  )
}

function requestOf(asks: ParamsOf<'policy/test'>['asks']) {
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

export function judgementOf({ verdict, rule, reason, code, run }: Decision): Judgement {
  return { verdict, rule, reason, run, ...(code === undefined ? {} : { code }) }
}
