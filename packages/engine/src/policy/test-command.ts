import { settingsFromConfig } from '@parley/config'
import { alwaysRulesFor, type Decision, decide, factsOfPart, trustedRules } from '@parley/policy'
import type { Judgement, ParamsOf, ResultOf } from '@parley/protocol'
import { assertOwnFilesOutside } from '../limits/workspace-folders.ts'
import { existingFolder } from '../settings/existing-folder.ts'
import { configHere } from '../settings/read-config.ts'
import { judgeCommand } from './judge-command.ts'
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
    const setting = { environment, values, settings, rules }
    const { facts, given, decision } = await judgeCommand(params, setting, ports)
    const always = alwaysRulesFor(facts, given)
    return {
      ...judgementOf(decision),
      argv: [...facts.argv],
      approvalPolicy,
      sandbox,
      enforcement: given.enforcement,
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

export function judgementOf({ verdict, rule, reason, code, run }: Decision): Judgement {
  return { verdict, rule, reason, run, ...(code === undefined ? {} : { code }) }
}
