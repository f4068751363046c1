import type { Conversation } from '@parley/client'
import type { Intent } from '../../ui/actions.ts'
import type { ConversationScreen } from '../followed-conversation.ts'

/** Intent that reads the conversation back: to look at it or to copy from it. */
export type ReadingIntent = Extract<Intent, { kind: 'showTranscript' | 'copy' }>

/** Terminal that is written to, and the variables that tell what it is. */
export interface ReadingTerminal {
  readonly write: (text: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface ReadingPlace {
  readonly conversation: Conversation | null
  readonly screen: ConversationScreen
  readonly terminal: ReadingTerminal
}

export function isReadingIntent(intent: Intent): intent is ReadingIntent {
  return intent.kind === 'showTranscript' || intent.kind === 'copy'
}

/** Carries out the intent; without a conversation there is nothing to read. Loads what it needs at the first call. */
export async function readBack(intent: ReadingIntent, { conversation, screen, terminal }: ReadingPlace): Promise<void> {
  if (conversation === null) return
  const { createClipboard, runClipboardProgram } = await import('../../terminal/clipboard.ts')
  const { platform } = process
  const clipboard = createClipboard({ ...terminal, platform, run: runClipboardProgram })
  if (intent.kind === 'copy') {
    const { copyPart } = await import('./copy-part.ts')
    return screen.dispatch({ kind: 'notice', notice: await copyPart(intent, conversation, clipboard) })
  }
  const { TranscriptView } = await import('./transcript-view.ts')
  screen.cover(new TranscriptView({ conversation, screen, clipboard, write: terminal.write, at: intent.at }))
}
