import type { Conversation } from '@parley/client'
import type { ConversationScreen } from '../terminal/conversation-screen.ts'
import type { ShownProcess } from '../ui/processes/process-view.ts'
import type { ReadingIntent } from '../ui/state/actions.ts'
import { note } from './rejected-intent.ts'

/** Terminal to write to, and the variables that tell its kind. */
export interface ReadingTerminal {
  /** Writes to the terminal; null for one that gets lines only, on which the transcript is printed. */
  readonly write: ((text: string) => void) | null
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface ReadingPlace {
  readonly conversation: Conversation | null
  readonly screen: ConversationScreen
  readonly terminal: ReadingTerminal
}

/** Carries out the intent; without a conversation there is nothing to read. Loads its modules at the first call. */
export async function readBack(intent: ReadingIntent, { conversation, screen, terminal }: ReadingPlace): Promise<void> {
  if (conversation === null) return screen.dispatch(note('warning', 'No conversation is open yet: try again.'))
  using _held = intent.kind === 'copy' ? null : screen.holdKeys()
  if (intent.kind === 'showProcess') return await showProcess(intent.process, { conversation, screen, terminal })
  const { createClipboard, runClipboardProgram } = await import('../terminal/clipboard.ts')
  const { write, env } = terminal
  const clipboard = createClipboard({ write, env, platform: process.platform, run: runClipboardProgram })
  if (intent.kind === 'copy') {
    const { copyPart } = await import('./pager/copy-part.ts')
    return screen.dispatch({ kind: 'notice', notice: await copyPart(intent, conversation, clipboard) })
  }
  if (write === null) {
    const { readTranscript } = await import('./pager/copy-part.ts')
    return screen.dispatch(note('info', await readTranscript(conversation)))
  }
  const { TranscriptView } = await import('./pager/transcript-view.ts')
  screen.cover(new TranscriptView({ conversation, screen, clipboard, write, at: intent.at }))
}

/** Shows output of a process, live; on a terminal that gets lines only the newest ones, once. */
async function showProcess(
  process: ShownProcess,
  { conversation, screen, terminal: { write } }: ReadingPlace & { readonly conversation: Conversation },
): Promise<void> {
  const { newestText, ProcessOverlay } = await import('./pager/process-overlay.ts')
  if (write === null) return screen.dispatch(note('info', await newestText(process, conversation)))
  screen.cover(new ProcessOverlay({ conversation, screen, write, process }))
}
