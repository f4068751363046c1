import { type Decision, trustedRules } from '@parley/policy'
import type { Redaction } from '@parley/redaction'
import { type PlacePorts, type StartParams, settingsWithoutModel } from '../settings/initial-settings.ts'
import type { CallSetting } from './judge-command.ts'
import { type PolicyPorts, readWantedRules } from './read-rules.ts'

export interface ClientPlacePorts extends PolicyPorts, PlacePorts {
  readonly redaction: Redaction
}

/** Folder of this machine that a client works in without a conversation. */
interface ClientPlace extends CallSetting {
  readonly cwd: string
}

/**
 * Resolves to what a client may do in a folder, as in a new conversation there; with a reason where that is on another
 * machine. Rejects with `aboveCeiling`, `cwdMissing` or `configInvalid`.
 */
export async function clientPlace(
  params: StartParams,
  ports: ClientPlacePorts,
): Promise<ClientPlace | { readonly reason: string }> {
  const { cwd, values, settings, own, project } = settingsWithoutModel(params, ports)
  if (settings.environment !== undefined)
    return { reason: `this folder stands for the environment ${settings.environment}, which only threads reach` }
  const { environment } = ports.environments.take({ environment: undefined, config: values })
  const rules = [...(await readWantedRules(ports.userRules, { cwd })), ...trustedRules(project, own)]
  return { cwd, environment, values, settings, rules }
}

/** Explains to a client why something is not done without a question. */
export function whyNot({ verdict, reason, rule }: Decision): string {
  const source = rule.file === undefined ? rule.name : `${rule.file}${rule.line === undefined ? '' : `:${rule.line}`}`
  const what = verdict === 'deny' ? 'policy denies it' : 'policy asks about it, which only a thread can'
  return `${what}: ${reason} (${source})`
}
