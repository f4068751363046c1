import type { Conversation } from '@parley/client'
import type { Intent } from '../ui/actions.ts'

type ProcessIntent = Extract<Intent, { kind: 'stopShell' | 'background' | 'typeInProcess' }>

/** Stops commands beside the turn (those that are named, else all of the user's), types into one, or sends one to the background. */
export async function actOnProcess(intent: ProcessIntent, conversation: Pick<Conversation, 'request'>): Promise<void> {
  switch (intent.kind) {
    case 'stopShell': {
      const named = intent.itemIds?.map((itemId) => ({ itemId })) ?? [{}]
      await Promise.all(named.map((one) => conversation.request('conversation/interrupt', { shell: true, ...one })))
      return
    }
    case 'background':
      await conversation.request('conversation/background', { itemId: intent.itemId })
      return
    case 'typeInProcess':
      await conversation.request('conversation/process/write', { itemId: intent.itemId, text: intent.text })
      return
  }
}
