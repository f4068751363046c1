import type { Worker } from 'node:worker_threads'
import { type Files, type FoundLog, StorageError, searchIndexPath } from '@parley/journal'
import type { ConversationId } from '@parley/protocol'
import type { FoundTexts, SearchExcerpt, TextSearch } from '../ports/text-search.ts'

type Order =
  | { readonly kind: 'find'; readonly query: string; readonly waitMs: number }
  | { readonly kind: 'excerpts'; readonly found: readonly FoundLog[] }
  | { readonly kind: 'forget'; readonly id: ConversationId }
  /** Ends the background work and closes the index. */
  | { readonly kind: 'end' }

/** Message to the thread; its answer has the same `number`. */
export type SearchOrder = Order & { readonly number: number }

type AnswerBody =
  | { readonly kind: 'found'; readonly found: FoundTexts }
  | { readonly kind: 'excerpts'; readonly excerpts: readonly (SearchExcerpt | null)[] }
  | { readonly kind: 'done' }
  | { readonly kind: 'storage'; readonly code: string; readonly operation: string; readonly path: string }
  | { readonly kind: 'fault'; readonly message: string }

export type SearchAnswer = AnswerBody & { readonly number: number }

interface ThreadPorts {
  readonly files: Files
  readonly home: string
  /** Path of the program of the thread. */
  readonly program: string
}

interface Waiting {
  readonly order: SearchOrder
  readonly settle: (answer: AnswerBody) => void
}

/** Time for the thread to close the index at the end of the server, in ms. */
const endMs = 1000

/** Search in a thread of its own, which runs from the first request on until it has been idle for a while. */
export function createSearchThread({ files, home, program }: ThreadPorts): TextSearch {
  const waiting = new Map<number, Waiting>()
  let thread: Worker | null = null
  let orders = 0

  function start(): Worker {
    const threads = process.getBuiltinModule('node:worker_threads')
    const started = new threads.Worker(program, { workerData: { home }, env: {}, execArgv: [] })
    started.on('message', ({ number, ...answer }: SearchAnswer) => {
      waiting.get(number)?.settle(answer)
      waiting.delete(number)
    })
    started.on('error', (error) => failAll(String(error)))
    started.on('exit', () => {
      thread = null
      // It had been idle and was ending while these were sent.
      if (waiting.size > 0) thread = start()
      for (const { order } of waiting.values()) thread?.postMessage(order)
    })
    started.unref()
    return started
  }

  function failAll(message: string): void {
    for (const { settle } of waiting.values()) settle({ kind: 'fault', message })
    waiting.clear()
  }

  async function ask(order: Order): Promise<AnswerBody> {
    thread ??= start()
    orders += 1
    const numbered = { ...order, number: orders }
    const { promise, resolve } = Promise.withResolvers<AnswerBody>()
    waiting.set(numbered.number, { order: numbered, settle: resolve })
    thread.postMessage(numbered)
    const answer = await promise
    if (answer.kind === 'storage') throw new StorageError(answer)
    if (answer.kind === 'fault') throw new Error(answer.message)
    return answer
  }

  return {
    async find(query, waitMs) {
      const answer = await ask({ kind: 'find', query, waitMs })
      return answer.kind === 'found' ? answer.found : { logs: [], unread: 0, leftOut: 0 }
    },
    async excerpts(found) {
      const answer = await ask({ kind: 'excerpts', found })
      return answer.kind === 'excerpts' ? answer.excerpts : []
    },
    async forget(id) {
      if (files.look(searchIndexPath(home)) !== null) await ask({ kind: 'forget', id })
    },
    async [Symbol.asyncDispose]() {
      if (thread === null) return
      const late = setTimeout(() => failAll('The server ends.'), endMs)
      await ask({ kind: 'end' }).catch(() => undefined)
      clearTimeout(late)
      await thread.terminate()
    },
  }
}
