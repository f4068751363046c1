import { type Rules, ruleTargetOf } from '@parley/policy'
import { isCall, type RuleRef } from '@parley/protocol'
import { itemIdOf } from '../log/compare-events.ts'
import type { ReplayPosition } from '../log/replayed-log.ts'

type Rule = Rules[number]

/** Rule with the place in the log from which on it held. */
interface DatedRule {
  readonly rule: Rule
  readonly from: number
}

/**
 * Returns the rules that decided calls of a log, which names them and holds no policy file. A rule that a user added in
 * the conversation holds from then on.
 */
export function rulesOf(log: ReplayPosition): () => Rules {
  const found = new Map<string, DatedRule>()
  for (const { event } of log.events) {
    const decision =
      event.type === 'item.completed' && isCall(event.item)
        ? event.item.decision
        : event.type === 'approval.requested'
          ? { ...event.approval, verdict: 'ask' as const }
          : undefined
    if (decision === undefined || itemIdOf(event) === null) continue
    const { rule, reason, verdict } = decision
    const target = ruleTargetOf(rule.name)
    if (target === null || rule.file === undefined) continue
    const source = { file: rule.file, ...(rule.line === undefined ? {} : { line: rule.line }) }
    const from = addedAt(log, rule)
    found.set(JSON.stringify([rule, verdict]), { rule: { decision: verdict, target, reason, source }, from })
  }
  const dated = [...found.values()]
  return () => dated.filter(({ from }) => log.at >= from).map(({ rule }) => rule)
}

function addedAt(log: ReplayPosition, { file, line }: RuleRef): number {
  const at = log.events.findIndex(({ event }) => {
    if (event.type !== 'item.completed' || event.item.type !== 'notice') return false
    const { rule } = event.item
    return rule !== undefined && rule.file === file && rule.line === line
  })
  return Math.max(0, at)
}
