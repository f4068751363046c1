import type { Client } from '@parley/client/browser'
import { atWordAt, type CaretText } from '@parley/presentation/composer/at-word'
import { completed, fileCompletion } from '@parley/presentation/composer/completion'
import { emptyComposer } from '@parley/presentation/composer/composer'
import { type NamedPart, partsAt } from '@parley/presentation/composer/part-word'
import type { ConversationId, FoundPart } from '@parley/protocol'
import { useEffect, useId, useMemo, useState } from 'react'
import { commandChoices } from './page-commands.ts'

interface CompletionRow extends CaretText {
  readonly label: string
  readonly about: string
}

/** List that completes a command or a path. */
export interface Choices {
  readonly id: string
  readonly list: readonly CompletionRow[]
  /** Index of the choice that Tab takes. */
  readonly chosen: number
  readonly choose: (choice: CompletionRow) => void
  /** Takes a key. Returns false for one that is not of the list. */
  readonly press: (key: string) => boolean
}

interface ChoiceOptions {
  readonly place: Parameters<typeof useFoundFiles>[1]
  /** Skills and commands of the folder. */
  readonly parts: readonly FoundPart[]
  readonly write: (written: CaretText) => void
}

/** Offers what completes the command or the path that is written, until Escape closes the list for that text. */
export function useChoices({ text, caret }: CaretText, { place, parts, write }: ChoiceOptions): Choices {
  const id = useId()
  const [chosen, setChosen] = useState(0)
  const [dismissed, setDismissed] = useState<string | null>(null)
  const word = useMemo(() => (text === dismissed ? null : atWordAt({ text, caret })), [text, caret, dismissed])
  const files = useFoundFiles(word?.query ?? null, place)
  const list = useMemo((): readonly CompletionRow[] => {
    if (text === dismissed) return []
    if (word === null)
      return [
        ...commandChoices(text).map((choice) => ({ ...choice, caret: choice.text.length })),
        ...partsAt({ text, caret }, parts).map((part) => partChoice({ text, caret }, part)),
      ]
    return files.map((path) => {
      const done = completed({ ...emptyComposer, text, caret }, fileCompletion(word, path))
      return { label: path, about: '', text: done.text, caret: done.caret }
    })
  }, [text, caret, dismissed, word, files, parts])
  const at = Math.min(chosen, list.length - 1)
  const current = list[at]
  const choose = (choice: CompletionRow) => {
    setChosen(0)
    // A complete word needs no list; the path of a folder goes on.
    setDismissed(choice.label.endsWith('/') ? null : choice.text)
    write(choice)
  }
  const press = (key: string): boolean => {
    if (current === undefined) return false
    switch (key) {
      case 'ArrowDown':
      case 'ArrowUp':
        setChosen((at + (key === 'ArrowDown' ? 1 : list.length - 1)) % list.length)
        return true
      case 'Tab':
        choose(current)
        return true
      case 'Enter':
        // A complete text is sent.
        if (list.some((choice) => choice.text.trim() === text.trim())) return false
        choose(current)
        return true
      case 'Escape':
        setDismissed(text)
        return true
      default:
        return false
    }
  }
  return { id, list, chosen: at, choose, press }
}

/** Returns the row of a skill or command. */
function partChoice({ text }: CaretText, { written, argument, about, start, end }: NamedPart): CompletionRow {
  const before = `${text.slice(0, start)}${written} `
  return {
    label: argument === '' ? written : `${written} ${argument}`,
    about,
    text: before + text.slice(end),
    caret: before.length,
  }
}

const none: readonly string[] = []

/** Returns the files that fit the text after `@`; the last query's files until the next are known. Null: no query. */
function useFoundFiles(
  query: string | null,
  { client, conversationId }: { readonly client: Client | null; readonly conversationId: ConversationId },
): readonly string[] {
  const [paths, setPaths] = useState(none)
  useEffect(() => {
    if (query === null || client === null) {
      setPaths(none)
      return undefined
    }
    let isOver = false
    client.request('conversation/findFiles', { conversationId, query }).then(
      (found) => isOver || setPaths(found.paths),
      // A message can be written without a list.
      () => isOver || setPaths(none),
    )
    return () => {
      isOver = true
    }
  }, [query, client, conversationId])
  return query === null ? none : paths
}
