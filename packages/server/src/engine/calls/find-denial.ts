import { type CheckedPath, checkNamedPaths, detectBlock } from '@parley/policy'
import type { ItemOf, SandboxBlock } from '@parley/protocol'
import type { ToolOutcome } from '../../tools/tool.ts'
import type { TurnContext } from '../turn/turn-context.ts'
import type { CallContext } from './tool-context.ts'

export interface FoundBlock {
  readonly block: SandboxBlock
  readonly places: readonly CheckedPath[]
}

interface Ended {
  readonly outcome: ToolOutcome
  readonly context: CallContext
}

/**
 * What the sandbox of a failed command blocked, or null. Paths are looked at on this machine only: what the
 * user may do on another one is not known here.
 */
export async function findBlock(
  { modules, conversation }: TurnContext,
  item: ItemOf<'commandExecution'>,
  { outcome, context }: Ended,
): Promise<FoundBlock | null> {
  const limits = context.limits()
  if (limits === null || outcome.status !== 'failed' || outcome.sandboxBroke === true) return null
  const { cwd, text: script, output } = item
  const { localHome: home, guardOf } = modules.limits
  const { enforcement } = conversation.state.core.settings
  const said = output === undefined ? '' : `${output.head}\n${output.tail}`
  const places =
    home === null ? [] : await checkNamedPaths({ script, output: said, cwd, limits, enforcement, home, guardOf })
  const exitCode = item.exitCode ?? null
  const triedNetwork = outcome.triedNetwork === true
  const block = detectBlock({ exitCode, triedNetwork, hasNetwork: limits.network, checkedPaths: places })
  return block === null ? null : { block, places }
}
