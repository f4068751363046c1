import type { ApprovalRequest, Item } from '@parley/protocol'
import type { AskedCommand, AskedPatch, EventMsg } from './event-msg.ts'
import { fileChangesOf } from './file-changes.ts'
import { readDiffs } from './read-diffs.ts'

/** A question as clients know it: about a command, about a patch, or what a tool's own server wants to know. */
export type Question =
  | ({ readonly kind: 'exec' } & AskedCommand)
  | ({ readonly kind: 'patch' } & AskedPatch)
  | { readonly kind: 'form' }

/** Anything that is neither command nor patch is asked like a command, whose words are the tool and what it is given. */
export function questionOf(approval: ApprovalRequest, item: Item | null): Question {
  const { itemId, cwd, kind, command } = approval
  if (kind === 'elicitation') return { kind: 'form' }
  const reason = approval.reason === '' ? {} : { reason: approval.reason }
  if (kind === 'patch')
    return { kind: 'patch', call_id: itemId, changes: fileChangesOf(readDiffs(approval.detail)), ...reason }
  return { kind: 'exec', call_id: itemId, command: command ?? wordsOf(approval, item), cwd, ...reason }
}

function wordsOf({ title }: ApprovalRequest, item: Item | null): readonly string[] {
  return item?.type === 'toolCall' ? [item.tool, item.input] : [title]
}

export function approvalMessage(approval: ApprovalRequest, item: Item | null): EventMsg {
  const { kind, ...asked } = questionOf(approval, item)
  if (kind === 'form') {
    const server = item?.type === 'toolCall' ? (/^mcp__(.+?)__/.exec(item.tool)?.[1] ?? item.tool) : ''
    return { type: 'elicitation_request', id: approval.id, server_name: server, message: approval.title }
  }
  return 'changes' in asked
    ? { type: 'apply_patch_approval_request', ...asked }
    : { type: 'exec_approval_request', ...(asked as AskedCommand) } // narrowed: without changes it is the command's
}
