import {
  approvalPolicies,
  type ConversationCore,
  type ConversationSummary,
  isStricterSandbox,
  isUnasked,
  modeNamed,
  pairOf,
  type Settings,
  sandboxModes,
  shortIdOf,
} from '@parley/protocol'
import { withoutUndefined } from '@parley/text'
import type { MenuRow } from './menu.ts'

/** The widest limits that the window's server was started for; undefined where it does not say. */
export type Ceiling = ConversationSummary['ceiling']

type ModeLimits = Pick<Settings, 'sandbox' | 'approvalPolicy'>

/** Returns the rows of a menu of limits; rows above the window's ceiling are disabled and say how to get them. */
export function underCeiling(rows: readonly MenuRow[], core: ConversationCore, ceiling: Ceiling): readonly MenuRow[] {
  return rows.map((row) => {
    const wanted = limitsOf(row.key)
    if (row.isCurrent || ceiling === undefined || !isAbove({ ...core.settings, ...wanted }, ceiling)) return row
    const detail = `not in this window; leave, then: ${commandToWiden(wanted, core)}`
    return { ...row, isDisabled: true, warning: null, detail }
  })
}

/** Returns the command that opens the conversation with limits that its window was not started for. */
export function commandToWiden(wanted: Partial<ModeLimits>, { seq, settings, meta }: ConversationCore): string {
  const limits = { ...settings, ...wanted }
  const flags = `-s ${limits.sandbox}${isUnasked(limits) ? ' -a never' : ''}`
  return seq === 0 ? `parley ${flags}` : `parley resume ${shortIdOf(meta.conversationId)} ${flags}`
}

function isAbove(limits: ModeLimits, ceiling: NonNullable<Ceiling>): boolean {
  return isStricterSandbox(ceiling.sandbox, limits.sandbox) || (isUnasked(limits) && !ceiling.neverWithFullAccess)
}

function limitsOf(key: string): Partial<ModeLimits> {
  const mode = modeNamed(key)
  if (mode !== undefined) return pairOf(mode)
  const sandbox = sandboxModes.find((mode) => mode === key)
  const approvalPolicy = approvalPolicies.find((policy) => policy === key)
  return withoutUndefined({ sandbox, approvalPolicy })
}
