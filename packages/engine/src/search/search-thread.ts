import type { Worker } from 'node:worker_threads'
import { type Files, type FoundLog, StorageError, searchIndexPath } from '@parley/journal'
import type { ConversationId } from '@parley/protocol'
import type { FoundTexts, SearchExcerpt, TextSearch } from '../ports/text-search.ts'
import { rejection } from '../replies/rejection.ts'

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
  | { readonly kind: 'exited'; readonly exitCode: number }

export type SearchAnswer = AnswerBody & { readonly number: number }

interface ThreadPorts {
  readonly files: Files
  readonly home: string
  /** Path of the program of the thread. */
  readonly program: string
}

interface Waiting {
  readonly order: SearchOrder
  /** Threads that got the order. */
  threads: number
  readonly settle: (answer: AnswerBody) => void
}

/** Threads that an order is sent to: the first may have been idle, and exiting already. */
const mostThreads = 2

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
    started.on('message', ({ number, ...answer }: SearchAnswer) => settle(number, answer))
    started.on('error', (error) => failAll(String(error)))
    started.on('exit', (exitCode) => {
      thread = null
      for (const one of waiting.values()) {
        if (one.threads < mostThreads) send(one)
        else settle(one.order.number, { kind: 'exited', exitCode })
      }
    })
    started.unref()
    return started
  }

  function send(one: Waiting): void {
    thread ??= start()
    one.threads += 1
    thread.postMessage(one.order)
  }

  function settle(number: number, answer: AnswerBody): void {
    waiting.get(number)?.settle(answer)
    waiting.delete(number)
  }

  function failAll(message: string): void {
    for (const number of waiting.keys()) settle(number, { kind: 'fault', message })
  }

  async function ask(order: Order): Promise<AnswerBody> {
    orders += 1
    const { promise, resolve } = Promise.withResolvers<AnswerBody>()
    const one: Waiting = { order: { ...order, number: orders }, threads: 0, settle: resolve }
    waiting.set(orders, one)
    send(one)
    const answer = await promise
    if (answer.kind === 'storage') throw new StorageError(answer)
    if (answer.kind === 'fault') throw new Error(answer.message)
    if (answer.kind === 'exited') throw rejection('internal', exitText(answer.exitCode))
    return answer
  }

  const terminate = async () => thread?.terminate()

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
      await terminate()
    },
  }
}

function exitText(exitCode: number): string {
  return `The search exited twice before it could answer (exit code ${exitCode}). The next search starts it again.`
}
