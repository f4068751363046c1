import type { ApprovalRequest } from '@parley/protocol'
import { isRecord } from '@parley/text'

/** Rule of a question about a patch that is asked for its place alone. */
const outsideRoots = 'builtin:patch-outside-roots'

/**
 * Returns the folder that a yes for the session may open for writing: the one that holds all files of a patch outside
 * the writable folders. Null for other questions, and where they share a folder of the system only.
 */
export function grantRootOf({ rule, decisions, environment, facts = {} }: ApprovalRequest): string | null {
  if (rule.name !== outsideRoots || environment !== undefined || !decisions.includes('approvedForSession')) return null
  const { files } = facts
  const outside = Array.isArray(files) ? files.filter(isRecord).filter(({ insideRoots }) => insideRoots === false) : []
  const folders = outside.map(({ real }) => (typeof real === 'string' ? real.split('/').slice(0, -1) : []))
  const [first = []] = folders
  const shared = folders.reduce((start, folder) => start.slice(0, sharedLength(start, folder)), first)
  // The names before the second: nothing, and a folder right below `/`.
  return shared.length > 2 ? shared.join('/') : null
}

function sharedLength(one: readonly string[], other: readonly string[]): number {
  const differs = one.findIndex((name, at) => name !== other[at])
  return differs < 0 ? one.length : differs
}
