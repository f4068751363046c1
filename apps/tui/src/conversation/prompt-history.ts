import { appendFileSync, closeSync, fstatSync, fsyncSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { promptHistoryPath } from '@parley/client'
import { inputText } from '@parley/presentation/items/item-words'
import type { ConversationEvent } from '@parley/protocol'
import { parseRecord } from '@parley/text'
import { secretHider } from '../cli/hide-secrets.ts'
import type { Intent } from '../ui/state/actions.ts'

/** Prompts sent in a folder, across its conversations. */
export interface PromptHistory {
  /** Oldest first. */
  read(folder: string): readonly string[]
  /** Prompts of all folders, oldest first. */
  readAll(): readonly string[]
  add(folder: string, text: string): void
}

/** Size of the newest part of the file, which is read; older prompts are dropped. */
const keptBytes = 512 * 1024
const keptPrompts = 200
/** Length in characters. A longer prompt was pasted, and would take the space of many typed ones. */
const maxPromptLength = 16 * 1024

/**
 * Opens the prompt history: one JSON line a prompt, in a file that only this user can read. Empty without a usable
 * file. Leaves out prompts with a secret.
 */
export function openPromptHistory(home: string, env: Readonly<Record<string, string | undefined>> = {}): PromptHistory {
  const path = promptHistoryPath(home)
  const hide = secretHider(env)
  return {
    read: (folder) => promptsIn(tailOf(path), folder).slice(-keptPrompts),
    readAll: () => promptsIn(tailOf(path), null),
    add(folder, text) {
      if (text.length > maxPromptLength || hide(text) !== text) return
      try {
        const lead = endsWithin(path) ? '\n' : ''
        appendFileSync(path, `${lead}${JSON.stringify({ folder, text })}\n`, { mode: 0o600 })
      } catch {
        // The server reports a full disk.
      }
    },
  }
}

/**
 * Prompts entered in this window that the server has not recorded yet. They go to the history as recorded, word for word:
 * the server knows secrets that this program does not, and puts marks in their place.
 */
export class EnteredPrompts {
  readonly #history: PromptHistory
  readonly #texts = new Set<string>()

  constructor(history: PromptHistory) {
    this.#history = history
  }

  /** Notes the text of an intent that sends one. */
  enter(intent: Intent): void {
    if (intent.kind === 'send') this.#texts.add(intent.message.text)
    if (intent.kind === 'shell') this.#texts.add(`!${intent.command}`)
  }

  /** Adds an entered text to the history once an event records it. `isKept`: false for a conversation that is not kept. */
  record(event: ConversationEvent, { cwd, isKept }: { readonly cwd: string; readonly isKept: boolean }): void {
    const text = recordedPrompt(event)
    if (text !== null && this.#texts.delete(text) && isKept) this.#history.add(cwd, text)
  }
}

/** Returns the prompt of a user that an event records; null for any other event. */
export function recordedPrompt(event: ConversationEvent): string | null {
  if (event.type === 'message.queued') return inputText(event.message.content)
  if (event.type !== 'item.started' && event.type !== 'item.completed') return null
  const { item } = event
  if (item.type === 'shellCommand') return `!${item.command}`
  return item.type === 'userMessage' ? inputText(item.content) : null
}

/** Returns the prompts of a folder; of all folders for null. */
function promptsIn(lines: readonly string[], folder: string | null): readonly string[] {
  const texts = lines.flatMap((line) => {
    const prompt = parsed(line)
    return prompt !== null && (folder === null || prompt.folder === folder) ? [prompt.text] : []
  })
  return texts.filter((text, index) => text !== texts[index - 1])
}

/** Returns the prompt of a line; null for a torn line or one of another kind. */
function parsed(line: string): { readonly folder: string; readonly text: string } | null {
  const { folder, text } = parseRecord(line) ?? {}
  return typeof folder === 'string' && typeof text === 'string' ? { folder, text } : null
}

/** Returns the newest lines. Cuts a file that has grown too long to them. */
function tailOf(path: string): readonly string[] {
  try {
    const descriptor = openSync(path, 'r')
    const { size } = fstatSync(descriptor)
    const bytes = Buffer.alloc(Math.min(size, keptBytes))
    const length = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length)
    closeSync(descriptor)
    const lines = bytes
      .toString('utf8', 0, length)
      .split('\n')
      .slice(size > keptBytes ? 1 : 0)
    if (size > 2 * keptBytes) shorten(path, lines)
    return lines
  } catch {
    return []
  }
}

/** Replaces the file by its newest lines, synced first: a loss of power would leave an empty one. */
function shorten(path: string, lines: readonly string[]): void {
  const next = `${path}.${process.pid}`
  const descriptor = openSync(next, 'w', 0o600)
  try {
    writeFileSync(descriptor, lines.join('\n'))
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(next, path)
}

/** Tests if the file ends within a line, as a loss of power leaves it: the next prompt would become a part of that. */
function endsWithin(path: string): boolean {
  try {
    const descriptor = openSync(path, 'r')
    try {
      const last = Buffer.alloc(1)
      return readSync(descriptor, last, 0, 1, fstatSync(descriptor).size - 1) === 1 && last[0] !== lf
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // The file is empty, or not there yet.
    return false
  }
}

const lf = 0x0a
