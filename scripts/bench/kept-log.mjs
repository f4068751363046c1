import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sessionPaths } from '../../packages/journal/src/disk/session-paths.ts'

/** Time of a log before its first event, in ms. */
export const startedAt = Date.UTC(2026, 0, 1)

export const words = 'the log is the truth and the rest is a fold of it '

export const usage = { inputTokens: 10, cachedInputTokens: 0, outputTokens: 10, reasoningTokens: 0 }

/** Returns the first event of a conversation in a folder. */
export function createdIn(cwd) {
  const settings = {
    model: 'bench-model',
    modelProvider: 'bench',
    approvalPolicy: 'never',
    sandbox: 'danger-full-access',
    enforcement: 'none',
    writableRoots: [],
  }
  return { type: 'conversation.created', cwd, settings, program: 'parley/bench' }
}

/**
 * Copies a log into a home, as its conversation. `write` is given the path to write it to, once: the file is kept
 * under its name for the next bench. Returns the id.
 */
export function placeKeptLog(place, { conversationId, name, write }) {
  const kept = join(tmpdir(), name)
  if (!existsSync(kept)) {
    write(`${kept}.part`)
    renameSync(`${kept}.part`, kept)
  }
  const { log } = sessionPaths(place.parleyHome, conversationId)
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 })
  copyFileSync(kept, log)
  return conversationId
}
