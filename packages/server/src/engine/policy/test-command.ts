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
import { configHere, definedRules } from '../settings/read-config.ts'
import { type PolicyPorts, readWantedRules } from './read-rules.ts'

/** Decides about a command as a new conversation would. Reads names and links of files; runs nothing. */
export async function testCommand(
  params: ParamsOf<'policy/test'>,
  ports: PolicyPorts,
): Promise<ResultOf<'policy/test'>> {
  const { effective, own, project } = configHere(params.cwd, params, ports)
  const { values } = effective
  // A decision about a command does not depend on the provider.
  const settings = settingsFromConfig(values, { id: 'none', model: 'none' }, params)
  const { approvalPolicy, sandbox, environment, writableRoots } = settings
  if (environment === undefined) assertOwnFilesOutside([resolve(params.cwd), ...writableRoots], ports.home)
  const { environment: place, release } = ports.places.take({ environment, config: values })
  try {
    const rules = [...(await readWantedRules(ports.userRules, params)), ...trustedRules(project, own)]
    const enforcement = await enforcementThere(place, sandbox)
    const facts = await gather(params, { place, values, writableRoots }, ports)
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

interface Around {
  readonly place: Environment
  readonly values: Config
  readonly writableRoots: readonly string[]
}

async function gather({ cwd, command }: ParamsOf<'policy/test'>, around: Around, { shellParser }: PolicyPorts) {
  const { place, values, writableRoots } = around
  const workspace = { cwd: resolve(cwd), roots: [resolve(cwd), ...writableRoots] }
  const { roots, secrets, files } = await fileSurroundings(place, workspace)
  const searchPath = commandEnv(place.env, definedRules(values.shell_environment))['PATH'] ?? ''
  const argv = typeof command === 'string' ? [place.shell, '-c', command] : command
  return gatherCommandFacts(
    { tool: 'shell', argv, cwd: workspace.cwd, escalation: null, background: false },
    { roots, searchPath, secrets, shell: shellParser, files },
  )
}

/** Resolves to the enforcement of a sandbox mode in an environment. */
export async function enforcementThere(place: Environment, sandbox: SandboxMode): Promise<Enforcement> {
  return sandbox === 'danger-full-access' ? 'none' : (await place.sandboxes.report()).enforcement
}

export function judgementOf({ verdict, rule, reason, code, run }: Decision): Judgement {
  return { verdict, rule, reason, run, ...(code === undefined ? {} : { code }) }
}
