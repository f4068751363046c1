import { useCallback, useState } from 'react'

/** Texts that were written and not sent, by conversation, as long as the page is open. */
const drafts = new Map<string, string>()

/** Keeps a text for the composer of a conversation that will be opened. */
export function keepDraft(conversationId: string, text: string): void {
  if (text === '') drafts.delete(conversationId)
  else drafts.set(conversationId, text)
}

export type Write = (change: (current: string) => string) => void

/** Returns the draft of a conversation, which stays while another one is shown, and the function that changes it. */
export function useDraft(conversationId: string): readonly [text: string, write: Write] {
  const [text, setText] = useState(() => drafts.get(conversationId) ?? '')
  const write = useCallback<Write>(
    (change) => {
      const next = change(drafts.get(conversationId) ?? '')
      keepDraft(conversationId, next)
      setText(next)
    },
    [conversationId],
  )
  return [text, write]
}
