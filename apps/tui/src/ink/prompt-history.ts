import { appendFileSync, closeSync, fstatSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { secretHider } from '../cli/hide-secrets.ts'

/** What was sent in a folder, across its conversations. */
export interface PromptHistory {
  /** Oldest first. */
  read(folder: string): readonly string[]
  add(folder: string, text: string): void
}

/** The newest part of the file that is read; what is older is let go. */
const keptBytes = 512 * 1024
const keptPrompts = 200
/** Characters. One that is longer was pasted, and would push out many that were written. */
const maxPromptLength = 16 * 1024

/**
 * One JSON line a prompt, in a file that only this user reads. A file that cannot be used costs nothing but the memory.
 * One with a secret in it is not remembered: with a mark in its place it would not be what was sent.
 */
export function openPromptHistory(home: string, env: Readonly<Record<string, string | undefined>> = {}): PromptHistory {
  const path = join(home, 'prompts.jsonl')
  const hide = secretHider(env)
  return {
    read: (folder) => promptsIn(tailOf(path), folder),
    add(folder, text) {
      if (text.length > maxPromptLength || hide(text) !== text) return
      try {
        appendFileSync(path, `${JSON.stringify({ folder, text })}\n`, { mode: 0o600 })
      } catch {
        // A full disk says so elsewhere.
      }
    },
  }
}

function promptsIn(lines: readonly string[], folder: string): readonly string[] {
  const texts = lines.flatMap((line) => {
    const prompt = parsed(line)
    return prompt?.folder === folder ? [prompt.text] : []
  })
  return texts.filter((text, index) => text !== texts[index - 1]).slice(-keptPrompts)
}

/** Null for a line that is torn or of another kind. */
function parsed(line: string): { readonly folder: string; readonly text: string } | null {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null || !('folder' in value && 'text' in value)) return null
    const { folder, text } = value
    return typeof folder === 'string' && typeof text === 'string' ? { folder, text } : null
  } catch {
    return null
  }
}

/** The newest lines; a file that has grown too long is cut to them. */
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

function shorten(path: string, lines: readonly string[]): void {
  const next = `${path}.${process.pid}`
  writeFileSync(next, lines.join('\n'), { mode: 0o600 })
  renameSync(next, path)
}
