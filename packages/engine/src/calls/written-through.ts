import { hardLinkedOutside } from '@parley/host'
import type { ChangedPath } from '@parley/protocol'
import { realOrGiven } from '@parley/workspace'
import { noticeEvent, noticeItem } from '../conversation/notices.ts'
import { unlessStorageFails } from '../conversation/storage-retry.ts'
import { withHint } from '../core/view/hints.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'
import type { CallContext } from '../roles/roles.ts'
import type { ToolOutcome } from '../tools/contract/tool.ts'

/** Paths that one sentence names. */
const maxNamed = 5

/**
 * Reports to people, and to the model in the outcome, which changed files have hard links outside of the writable
 * folders. These have changed, too: a sandbox does not see the name by which a file is written.
 */
export async function sayWrittenThrough(
  { record: { conversation, ids } }: CallContext,
  outcome: ToolOutcome,
  changes: readonly ChangedPath[],
): Promise<ToolOutcome> {
  const roots = workspaceOf(conversation.state).roots.map(realOrGiven)
  const changed = changes.filter(({ before, after }) => before !== null && after !== null && after.link !== true)
  const paths = await hardLinkedOutside(
    changed.map(({ path }) => path),
    roots,
  )
  if (paths.length === 0) return outcome
  const title = sentence(paths)
  const item = noticeItem(ids.item(), { level: 'warning', code: 'writtenThrough', title })
  unlessStorageFails(() => conversation.record(noticeEvent(conversation, item)))
  return withHint(outcome, 'writtenThrough', `(${title})`)
}

function sentence(paths: readonly string[]): string {
  const more = paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : ''
  const named = `${paths.slice(0, maxNamed).join(', ')}${more}`
  return paths.length === 1
    ? `${named} has further names (hard links) outside the writable folders: what was written to it changed there, too.`
    : `${named} have further names (hard links) outside the writable folders: what was written to them changed there, too.`
}
