import type { Approval } from '@parley/protocol'
import { reasonsToAsk } from '@parley/protocol/calls'

type ExplainedApproval = Pick<Approval, 'facts' | 'rule' | 'reason'> & Partial<Pick<Approval, 'kind'>>

const { untrusted, dangerous } = reasonsToAsk

const shorterDangers: Readonly<Record<string, string>> = {
  'it runs what it downloads': 'runs a script it downloads, unread',
}

/** Describes the damage that a call does, or says that it runs a downloaded script; null for other calls. */
export function dangerWords(judged: ExplainedApproval): string | null {
  const found = foundDanger(judged)
  if (found !== null) return shorterDangers[found] ?? found.replace(/^it /, '')
  return judged.rule.name === 'builtin:dangerous' ? 'destroys things for good' : null
}

/** Returns why the user is asked, without the rule; empty if a warning says it already. */
export function reasonWords(judged: ExplainedApproval): string {
  const { reason, kind } = judged
  if (reason.startsWith(untrusted) && kind === 'patch')
    return `you asked to be asked before every change${reason.slice(untrusted.length)}`
  if (reason.startsWith(untrusted))
    return `you asked to be asked; not on the harmless list${reason.slice(untrusted.length)}`
  const warned = `${dangerous} (${foundDanger(judged) ?? ''}`
  if (reason.startsWith(warned)) return reason.slice(warned.length).replace(/^; |\)$/g, '')
  return reason
}

function foundDanger({ facts }: ExplainedApproval): string | null {
  const found = facts?.['dangerous']
  return typeof found === 'string' ? found : null
}
