import { parentPort, workerData } from 'node:worker_threads'
import { nodeFiles, StorageError } from '@parley/journal'
import type { SearchAnswer, SearchOrder } from './search-thread.ts'
import { createTextSearch } from './text-search.ts'

/** Time without requests after which the thread ends, once its work is done; in ms. */
const idleMs = 20_000

const port = parentPort
if (port === null) throw new Error('This program is a thread of the server.')
const search = createTextSearch({ files: nodeFiles, home: String(workerData.home) })
const idle = setTimeout(() => void endIfIdle(), idleMs)

port.on('message', (order: SearchOrder) => {
  idle.refresh()
  void answer(order).then((answered) => port.postMessage(answered))
})

async function answer(order: SearchOrder): Promise<SearchAnswer> {
  const { number } = order
  try {
    return { number, ...(await carryOut(order)) }
  } catch (error) {
    if (!(error instanceof StorageError)) return { number, kind: 'fault', message: String(error) }
    const { code, operation, path } = error
    return { number, kind: 'storage', code, operation, path }
  }
}

async function carryOut(order: SearchOrder) {
  switch (order.kind) {
    case 'find':
      return { kind: 'found', found: await search.find(order.query, order.waitMs) } as const
    case 'excerpts':
      return { kind: 'excerpts', excerpts: await search.excerpts(order.found) } as const
    case 'forget':
      await search.forget(order.id)
      return { kind: 'done' } as const
    case 'end':
      await search[Symbol.asyncDispose]()
      return { kind: 'done' } as const
  }
}

async function endIfIdle(): Promise<void> {
  await search.settled()
  await search[Symbol.asyncDispose]()
  process.exit()
}
