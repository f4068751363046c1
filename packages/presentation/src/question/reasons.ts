import type { Approval } from '@parley/protocol'

type ExplainedApproval = Pick<Approval, 'facts' | 'rule' | 'reason'> & Partial<Pick<Approval, 'kind'>>

const dangerBasis = 'it destroys things for good'

const untrustedBasis = 'the approval policy is untrusted and this is not known to be harmless'

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
  if (reason.startsWith(untrustedBasis) && kind === 'patch')
    return `you asked to be asked before every change${reason.slice(untrustedBasis.length)}`
  if (reason.startsWith(untrustedBasis))
    return `you asked to be asked; not on the harmless list${reason.slice(untrustedBasis.length)}`
  const warned = `${dangerBasis} (${foundDanger(judged) ?? ''}`
  if (reason.startsWith(warned)) return reason.slice(warned.length).replace(/^; |\)$/g, '')
  return reason
}

function foundDanger({ facts }: ExplainedApproval): string | null {
  const { dangerous: found } = facts ?? {}
  return typeof found === 'string' ? found : null
}
