import type { Client } from '@parley/client'
import type { Intent } from '../ui/intent.ts'
import { type Begun, createConversation, type Extra, type Start, unlessElsewhere } from './start.ts'

/** Another conversation than the one on the screen. */
export type Wanted = Extract<Intent, { kind: 'open' | 'fork' | 'new' }>

export function isWanted(intent: Intent): intent is Wanted {
  return intent.kind === 'open' || intent.kind === 'fork' || intent.kind === 'new'
}

interface Around {
  readonly flags: Start['flags']
  readonly extra: Extra
  /** Folder of the conversation on the screen. */
  readonly cwd: string | undefined
}

export async function openWanted(client: Client, wanted: Wanted, { flags, extra, cwd }: Around): Promise<Begun> {
  switch (wanted.kind) {
    case 'open': {
      const { conversationId, readOnly } = wanted
      const params = readOnly ? { conversationId, readOnly } : { conversationId }
      return unlessElsewhere(client.request('conversation/resume', params))
    }
    case 'fork': {
      const { conversationId } = wanted
      return { kind: 'open', summary: await client.request('conversation/fork', { conversationId }), said: [] }
    }
    case 'new': {
      const here = cwd === undefined ? flags : { ...flags, cd: cwd }
      return { kind: 'open', summary: await createConversation(client, here, extra), said: [] }
    }
  }
}
