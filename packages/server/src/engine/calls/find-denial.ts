import { denialOf, type NamedPlace, namedPlaces } from '@parley/policy'
import type { ItemOf, SandboxDenial } from '@parley/protocol'
import type { ToolOutcome } from '../../tools/tool.ts'
import type { Run } from '../run.ts'
import type { CallContext } from './tool-context.ts'

export interface FoundDenial {
  readonly denial: SandboxDenial
  readonly places: readonly NamedPlace[]
}

interface Ended {
  readonly outcome: ToolOutcome
  readonly context: CallContext
}

/**
 * What a command that failed was denied by its sandbox, or null. Paths are looked at on this machine only: what the
 * user may do on another one is not known here.
 */
export async function findDenial(
  { bench, conversation }: Run,
  item: ItemOf<'commandExecution'>,
  { outcome, context }: Ended,
): Promise<FoundDenial | null> {
  const limits = context.limits()
  if (limits === null || outcome.status !== 'failed' || outcome.sandboxBroke === true) return null
  const { cwd, text: script, output } = item
  const { localHome: home, guardOf } = bench.limits
  const { tier } = conversation.state.core.settings
  const said = output === undefined ? '' : `${output.head}\n${output.tail}`
  const places = home === null ? [] : await namedPlaces({ script, output: said, cwd, limits, tier, home, guardOf })
  const exitCode = item.exitCode ?? null
  const triedNetwork = outcome.triedNetwork === true
  const denial = denialOf({ exitCode, triedNetwork, hasNetwork: limits.network, places })
  return denial === null ? null : { denial, places }
}
