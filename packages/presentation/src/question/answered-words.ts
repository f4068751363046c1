import type { Actor, ApprovalDecision } from '@parley/protocol'
import { shownName, stripEffects } from '../text/control-characters.ts'
import { truncateText } from '../text/truncate.ts'

const decisionWords = {
  approved: 'approved',
  approvedForSession: 'approved for this conversation',
  approvedAlways: 'approved permanently',
  denied: 'denied',
  abort: 'stopped',
} satisfies Readonly<Record<ApprovalDecision, string>>

export function answeredWords(by: Pick<Actor, 'title' | 'name' | 'user'>, decision: string): string {
  const words = Object.entries(decisionWords).find(([name]) => name === decision)?.[1] ?? decision
  return `answered by ${actorName(by)}: ${words}`
}

/** Longest name shown, in cells. */
const nameColumns = 60

/** Returns a client's name, which may be any text, as one short row. Its user, whom the server names, comes first. */
export function actorName({ title, name, user }: Pick<Actor, 'title' | 'name' | 'user'>): string {
  const named = title || name
  const given = user === undefined || named.startsWith(`${user} `) ? named : `${user}, ${named}`
  if (stripEffects(given).trim() === '') return 'somebody'
  return truncateText(shownName(given).trim(), { columns: nameColumns })
}
