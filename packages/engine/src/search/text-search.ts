import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import {
  type Files,
  type FoundLog,
  LogView,
  openTextIndex,
  type SessionFile,
  StorageError,
  searchWords,
  sessionPaths,
  type TextIndex,
} from '@parley/journal'
import { withoutUndefined } from '@parley/text'
import { createLogReader } from '../conversation/journal.ts'
import type { SearchExcerpt, TextSearch } from '../ports/text-search.ts'
import { excerptOf, searchedTexts } from './searched-texts.ts'

interface SearchPorts {
  readonly files: Files
  readonly home: string
  readonly limitBytes?: number
}

/** Idle time after each step of work that nobody waits for, as a multiple of the time that it took. */
const restFactor = 5
const longestRestMs = 2000

/** Search that works in the calling thread, which it blocks for each step. Opens its index with the first request. */
export interface OwnThreadSearch extends TextSearch {
  /** Resolves when the background work is done. */
  settled(): Promise<void>
}

export function createTextSearch(ports: SearchPorts): OwnThreadSearch {
  const { files, home, limitBytes } = ports
  const stopped = new AbortController()
  let index: TextIndex | null = null
  /** Logs to read, the newest first. */
  let due: readonly SessionFile[] = []
  let background: Promise<void> | null = null

  const openIndex = () => {
    index ??= openTextIndex({ files, home, texts: searchedTexts, ...withoutUndefined({ limitBytes }) })
    return index
  }

  /** Reads a part of the first log that is due. */
  function readNext(): void {
    const [log] = due
    if (log === undefined) return
    try {
      if (openIndex().readOn(log)) return
    } catch (error) {
      // A log that cannot be read is left for the next request.
      if (!(error instanceof StorageError) || error.operation === 'search') throw error
    }
    due = due.filter((one) => one !== log)
  }

  /** Reads on and drops deleted words, with rests between: nobody waits for it. */
  async function work(): Promise<void> {
    while (!stopped.signal.aborted) {
      const startMs = performance.now()
      if (due.length > 0) readNext()
      else if (openIndex().purge()) return
      const restMs = Math.min(longestRestMs, (performance.now() - startMs) * restFactor)
      await delay(restMs, undefined, { ref: false, signal: stopped.signal }).catch(() => undefined)
    }
  }

  function workOn(): void {
    // A failure here happens again with the next request, which reports it.
    background ??= work()
      .catch(() => undefined)
      .finally(() => {
        background = null
      })
  }

  return {
    async find(query, waitMs) {
      const endMs = performance.now() + waitMs
      due = openIndex().survey()
      while (due.length > 0 && performance.now() < endMs) {
        readNext()
        await nextTurn()
      }
      const found = { logs: openIndex().find(searchWords(query)), unread: due.length, leftOut: openIndex().leftOut() }
      workOn()
      return found
    },
    async excerpts(found) {
      return found.map((one) => {
        const excerpt = readExcerpt(files, home, one)
        // The index is wrong about this log, so that it is read anew.
        if (excerpt === null) openIndex().forget(one.id)
        return excerpt
      })
    },
    async forget(id) {
      openIndex().forget(id)
      workOn()
    },
    settled: async () => background ?? undefined,
    async [Symbol.asyncDispose]() {
      stopped.abort()
      await background
      index?.[Symbol.dispose]()
      index = null
    },
  }
}

function readExcerpt(files: Files, home: string, { id, byteOffset, words }: FoundLog): SearchExcerpt | null {
  const paths = sessionPaths(home, id)
  if (paths === null) return null
  try {
    using view = LogView.open(files, paths.log)
    const line = view.lineAt(byteOffset)
    return line === null ? null : excerptOf(line, createLogReader(view.header()), words)
  } catch (error) {
    if (error instanceof StorageError) return null
    throw error
  }
}
