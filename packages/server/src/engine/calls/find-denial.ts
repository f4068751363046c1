import type { ItemOf, SandboxDenial } from '@parley/protocol'
import { denialOf } from '../../core/policy/denial.ts'
import { namedPlaces } from '../../facts/named-places.ts'
import type { ToolOutcome } from '../../tools/tool.ts'
import type { Run } from '../run.ts'
import type { CallContext } from './tool-context.ts'

interface Ended {
  readonly outcome: ToolOutcome
  readonly context: CallContext
}

/**
 * What a command that failed was denied by its sandbox, or null. Paths are looked at on this machine only: what the
 * user may do on another one is not known here.
 */
export async function findDenial(
  { bench }: Run,
  item: ItemOf<'commandExecution'>,
  { outcome, context }: Ended,
): Promise<SandboxDenial | null> {
  const limits = context.limits()
  if (limits === null || outcome.status !== 'failed' || outcome.sandboxBroke === true) return null
  const { cwd, text: script, output } = item
  const home = bench.limits.localHome
  const said = output === undefined ? '' : `${output.head}\n${output.tail}`
  const places = home === null ? [] : await namedPlaces({ script, output: said, cwd, limits, home })
  const exitCode = item.exitCode ?? null
  return denialOf({ exitCode, triedNetwork: outcome.triedNetwork === true, hasNetwork: limits.network, places })
}
