import type { Item } from '@parley/protocol'

/**
 * More than the sandbox gives: said of every command that ran with it, whoever or whatever allowed it. Null for one that
 * ran inside the sandbox without network, did not run, or is no command of the model.
 */
export function rightsWords(item: Item): string | null {
  if (item.type !== 'commandExecution' || !hasRun(item)) return null
  const { limits } = item.decision ?? {}
  if (limits?.sandbox === 'none') return 'outside the sandbox'
  return limits?.network === true ? 'with network' : null
}

/** One that was declined, or that waits or was stopped before it began, has a decision and has done nothing. */
function hasRun({ status, durationMs, failure }: Item & { readonly type: 'commandExecution' }): boolean {
  if (failure !== undefined && neverStarted.has(failure.code)) return false
  return status === 'inProgress' || status === 'unknown' || durationMs !== undefined
}

/** Codes of failures that came before the command did anything. */
const neverStarted: ReadonlySet<string> = new Set(['spawnFailed', 'sandboxFailed', 'invalidToolCall'])
