import { type BackgroundProcesses, createBackgroundProcesses } from '@parley/host'
import type { ItemOf } from '@parley/protocol'
import type { Environment } from '@parley/workspace'
import type { Ids } from '../../ports/ids.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { noticeItem } from '../conversation/notices.ts'
import { unlessStorageFails } from '../conversation/storage-patience.ts'
import { type ConversationLimits, createConversationLimits } from './conversation-limits.ts'
import { createScratch } from './scratch.ts'

interface OpenLimits {
  readonly limits: ConversationLimits
  readonly background: BackgroundProcesses
}

interface LimitsPorts {
  readonly conversation: Conversation
  readonly place: Environment
  /** `$PARLEY_HOME`. */
  readonly home: string
  /** Where its /tmp is. */
  readonly folder: string
  readonly ids: Pick<Ids, 'item'>
  readonly onFault: (fault: unknown) => void
}

/** The limits of a conversation's commands, and those in the background, which use the same /tmp. */
export function openLimits(ports: LimitsPorts): OpenLimits {
  const { conversation, place, folder, ids, onFault } = ports
  const background = createBackgroundProcesses({
    runCommand: place.commands.runCommand,
    onEnd: (_id, { spawnError }) => {
      if (spawnError?.subject === 'sandbox') void limits.doubt().catch(onFault)
    },
  })
  const isInUse = () => background.list().some(({ end }) => end === null)
  const onEmptied = () =>
    unlessStorageFails(() => conversation.record({ type: 'item.completed', item: emptied(ids.item()) }))
  const scratch = createScratch({ folder, isInUse, onEmptied })
  const limits = createConversationLimits({ ...ports, scratch, newItemId: ids.item })
  return { limits, background }
}

function emptied(id: string): ItemOf<'notice'> {
  const title = 'The /tmp of the sandbox had grown over 1 GiB and was emptied.'
  return noticeItem(id, { level: 'info', code: 'scratchEmptied', title })
}
