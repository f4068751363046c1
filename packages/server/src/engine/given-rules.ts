import { resolve } from 'node:path'
import { type Rules, readPolicyFile, type UserRules } from '@parley/policy'
import type { ConversationState, Overrides } from '@parley/protocol'
import { workspaceOf } from './limits/workspace-folders.ts'
import { soundRules } from './policy/read-rules.ts'
import { rulesInReach } from './rules-in-reach.ts'

/** A conversation that is being opened. */
interface Opening {
  readonly state: ConversationState
  readonly overrides: Overrides
  readonly readOnly: boolean
}

/** The rules given at launch; the user's own are read anew as well, and both have to be sound. */
export async function readGivenRules(userRules: UserRules, opening: Opening): Promise<Rules> {
  const policyFile = policyFileOf(opening)
  soundRules([await userRules.read()])
  return policyFile === undefined ? [] : soundRules([await readPolicyFile(policyFile)])
}

/** What there is to say of where they lie. A view runs nothing, and what runs on another machine does not reach them. */
export function writableRules(
  opening: Opening,
  { env }: { readonly env: Readonly<Record<string, string | undefined>> },
) {
  const { settings } = opening.state.core
  if (opening.readOnly || settings.environment !== undefined) return []
  const { roots } = workspaceOf(opening.state)
  return rulesInReach(policyFileOf(opening), { roots, sandbox: settings.sandbox, home: env['HOME'] ?? '/' })
}

/** The one of this opening, else the recorded one. */
function policyFileOf({ state, overrides }: Opening): string | undefined {
  const { meta, settings } = state.core
  return overrides.policyFile === undefined ? settings.policyFile : resolve(meta.cwd, overrides.policyFile)
}
