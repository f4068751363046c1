import type { Client } from '@parley/client/browser'
import type { ParsedCommand } from '@parley/presentation/commands/slash-commands'
import type { Notice } from '@parley/presentation/notices/notice'
import { useRef, useState } from 'react'
import type { Ask } from '../../link/ask.ts'
import type { Write } from './drafts.ts'
import { type CommandContext, runCommand, runShellLine } from './page-commands.ts'
import type { PickedImages } from './use-picked-images.ts'

type When = 'now' | 'steer' | 'queue'

export interface OutgoingText extends Omit<CommandContext, 'client'> {
  readonly text: string
  readonly write: Write
  readonly picked: PickedImages
  /** Meaning of the text: a command of the page, a line for the shell, or neither; null for a message with images. */
  readonly meant: { readonly command: ParsedCommand | null; readonly shellLine: string | null } | null
}

export interface Sending {
  readonly isSending: boolean
  /** Answer of the last command; null without an answer. */
  readonly notice: Notice | null
  readonly closeNotice: () => void
  readonly send: (when: When) => void
}

/** Sends the text, or runs it as a command; an unsent text stays. */
export function useSending(ask: Ask, written: OutgoingText): Sending {
  const [isSending, setSending] = useState(false)
  const [notice, setNotice] = useState<Notice | null>(null)
  const messageId = useRef(crypto.randomUUID())

  /** Runs the text as a command; a shell command that did not run stays. */
  async function run(client: Client): Promise<boolean> {
    const { text, write, meant, state, refresh, page } = written
    const context = { client, state, refresh, page }
    const { command = null, shellLine = null } = meant ?? {}
    if (command === null && shellLine === null) return false
    const said = command === null ? await runShellLine(shellLine ?? '', context) : await runCommand(command, context)
    setNotice(said)
    if (command !== null || said === null) write((current) => (current === text ? '' : current))
    return true
  }

  async function sendMessage(client: Client, when: When): Promise<void> {
    const { text, write, picked, state } = written
    const { images } = picked
    const texts = text.trim() === '' ? [] : [{ type: 'text' as const, text }]
    await client.request('conversation/sendMessage', {
      conversationId: state.core.meta.conversationId,
      input: [...texts, ...images.map(({ url }) => ({ type: 'image' as const, url }))],
      // A repeat with the same id after a lost link is the same message.
      messageId: messageId.current,
      when,
    })
    messageId.current = crypto.randomUUID()
    picked.drop(images)
    // More may have been written meanwhile.
    write((current) => (current.startsWith(text) ? current.slice(text.length) : current))
  }

  return {
    isSending,
    notice,
    closeNotice: () => setNotice(null),
    send(when) {
      ask(async (client) => {
        setSending(true)
        try {
          if (!(await run(client))) await sendMessage(client, when)
        } finally {
          setSending(false)
        }
      })
    },
  }
}
