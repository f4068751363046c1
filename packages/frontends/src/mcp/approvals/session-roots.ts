import { homedir } from 'node:os'
import type { Envelope, ItemId } from '@parley/protocol'
import { errorMessage } from '@parley/text'
import { liesWithin, realOrGiven } from '@parley/workspace'
import type { CallersLimits } from '../../callers-limits.ts'
import { grantRootOf } from '../../codex-events/grant-root.ts'
import type { AskedApproval } from './asked-approval.ts'

/** Folders that a yes for the session opens for writing, Codex's `grant_root`. */
export interface SessionRoots {
  /** Resolves with the folder that a question offers; null without a folder that its conversation may get. */
  offeredBy(asked: AskedApproval): Promise<string | null>
  /**
   * Opens the folder when the call has ended, which may make it and runs as it was asked about. `decided` is false for
   * a yes that did not count.
   */
  openAfter(asked: AskedApproval, root: string, decided: Promise<boolean>): void
  note(envelope: Envelope): void
}

interface PendingRoot {
  readonly asked: AskedApproval
  readonly root: string
  readonly decided: Promise<boolean>
}

/** `onFailure` receives why a folder was not opened. */
export function createSessionRoots(
  limits: CallersLimits,
  onFailure: (asked: AskedApproval, problem: string) => void,
): SessionRoots {
  const openings = new Map<ItemId, PendingRoot>()

  async function open({ asked, root, decided }: PendingRoot): Promise<void> {
    const { client, conversationId } = asked
    try {
      if (!(await decided)) return
      await client.request('conversation/resume', { conversationId, overrides: { addDirs: [root] } })
    } catch (error) {
      onFailure(asked, `${root} was not opened for writing: ${errorMessage(error)}`)
    }
  }

  return {
    async offeredBy({ approval, settings }) {
      const root = grantRootOf(approval)
      if (root === null || settings.sandbox !== 'workspace-write' || liesWithin(realOrGiven(homedir()), root))
        return null
      return limits.assertOverrides({ addDirs: [root] }, settings).then(
        () => root,
        () => null,
      )
    },
    openAfter(asked, root, decided) {
      openings.set(asked.approval.itemId, { asked, root, decided })
    },
    note({ event }) {
      if (event.type !== 'item.completed') return
      const opening = openings.get(event.item.id)
      openings.delete(event.item.id)
      if (opening !== undefined && event.item.status === 'completed') void open(opening)
    },
  }
}
