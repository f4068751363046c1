import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeFiles } from '@parley/journal'
import { tempDirectory } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { createSearchThread } from '../../src/search/search-thread.ts'

/** Appends a letter to a file at each start. */
const counted = `import { appendFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
appendFileSync(workerData.home + '/starts', 's')
`
const answers = `parentPort.on('message', ({ number, kind }) => parentPort.postMessage(
  kind === 'find' ? { number, kind: 'found', found: { logs: [], unread: 7, leftOut: 0 } } : { number, kind: 'done' }))
`

async function threadOf(text: string) {
  const folder = await tempDirectory()
  const program = join(folder.path, 'search.mjs')
  writeFileSync(program, `${counted}${text}`)
  const search = createSearchThread({ files: nodeFiles, home: folder.path, program })
  return {
    search,
    starts: () => readFileSync(join(folder.path, 'starts'), 'utf8').length,
    async [Symbol.asyncDispose]() {
      await search[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

describe('the thread of the search', () => {
  it('that exits at once is started twice for a search, which then fails and says so', async () => {
    await using at = await threadOf('process.exit(3)')
    const said = 'The search exited twice before it could answer (exit code 3). The next search starts it again.'
    await expect(at.search.find('word', 0)).rejects.toMatchObject({ message: said, data: { code: 'internal' } })
    expect(at.starts()).toBe(2)
    await expect(at.search.find('word', 0)).rejects.toThrow(said)
    expect(at.starts()).toBe(4)
  })

  it('that exits when a search has just been sent is started again, and answers it', async () => {
    const onceIdle = `import { readFileSync } from 'node:fs'
if (readFileSync(workerData.home + '/starts', 'utf8') === 's') process.exit()
${answers}`
    await using at = await threadOf(onceIdle)
    const found = await Promise.all([at.search.find('one', 0), at.search.find('other', 0)])
    expect(found.map(({ unread }) => unread)).toEqual([7, 7])
    expect(at.starts()).toBe(2)
  })

  it('that fails at its start fails the search with the error', async () => {
    await using at = await threadOf(`throw new Error('no such module')`)
    await expect(at.search.find('word', 0)).rejects.toThrow('no such module')
    expect(at.starts()).toBe(1)
  })
})
