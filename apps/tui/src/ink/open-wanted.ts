import type { Client } from '@parley/client/parts'
import type { Intent } from '../ui/actions.ts'
import { type OpenedConversation, openedBy, openOrJoin, watch } from './open-conversation.ts'
import type { Request } from './perform.ts'
import { createConversation, type Extra, type Start } from './start.ts'

/** Another conversation than the one on the screen. */
export type Wanted = Extract<Intent, { kind: 'open' | 'fork' | 'new' }>

export function isWanted(intent: Wanted | Request): intent is Wanted {
  return intent.kind === 'open' || intent.kind === 'fork' || intent.kind === 'new'
}

interface Around {
  readonly flags: Start['flags']
  readonly extra: Extra
  /** Folder of the conversation on the screen. */
  readonly cwd: string | undefined
  /** This window takes no part in what it shows. */
  readonly onlyWatches: boolean
}

export async function openWanted(
  client: Client,
  wanted: Wanted,
  { flags, extra, cwd, onlyWatches }: Around,
): Promise<OpenedConversation> {
  switch (wanted.kind) {
    case 'open':
      return (onlyWatches ? watch : openOrJoin)(client, { conversationId: wanted.conversationId })
    case 'fork': {
      const { conversationId } = wanted
      return openedBy(client, await client.request('conversation/fork', { conversationId }))
    }
    case 'new': {
      const here = cwd === undefined ? flags : { ...flags, cd: cwd }
      return openedBy(client, await createConversation(client, here, extra))
    }
  }
}
