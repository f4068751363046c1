import type { SandboxLimits } from '@parley/host'
import { checkNamedPaths, detectBlock } from '@parley/policy'
import type { CallItem } from '@parley/protocol'
import type { CallContext } from '../roles/roles.ts'
import type { ToolOutcome } from '../tools/contract/tool.ts'
import type { FoundBlock } from './attempt.ts'

interface Ended {
  /** Item with the outcome. */
  readonly item: CallItem
  readonly outcome: ToolOutcome
  /** Limits that its command ran under; null without limits or without a command. */
  readonly limits: SandboxLimits | null
}

/** Returns what the sandbox of a failed command blocked, or null. Paths are examined on this machine only. */
export async function findBlock(
  { record: { conversation }, act }: CallContext,
  { item, outcome, limits }: Ended,
): Promise<FoundBlock | null> {
  if (outcome.recordedBlock !== undefined) return outcome.recordedBlock
  if (item.type !== 'commandExecution' || limits === null) return null
  if (outcome.status !== 'failed' || outcome.sandboxBroke === true) return null
  const { cwd, text: script, output } = item
  const { localHome: home, standingOf } = act.limits
  const { enforcement } = conversation.state.core.settings
  const said = output === undefined ? '' : `${output.head}\n${output.tail}`
  const checkedPaths =
    home === null ? [] : await checkNamedPaths({ script, output: said, cwd, limits, enforcement, home, standingOf })
  const exitCode = item.exitCode ?? null
  const triedNetwork = outcome.triedNetwork === true
  const block = detectBlock({ exitCode, triedNetwork, hasNetwork: limits.network, checkedPaths })
  return block === null ? null : { block, checkedPaths }
}
