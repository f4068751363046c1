import type { Item } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { copyPart } from '../../../src/conversation/pager/copy-part.ts'
import type { CopiedPart } from '../../../src/ui/state/actions.ts'
import { logOf, stateOf } from '../../ui/pager/pager-scene.ts'
import { answer, ended, patch, userMessage } from '../../view/scenes/conversation.ts'

/** Copies a part of a conversation whose newest `held` items are in memory. */
async function copy(items: readonly Item[], what: CopiedPart, number: number | null = null, held = 2) {
  const copied: string[] = []
  const clipboard = {
    async copy(text: string, words: string) {
      copied.push(text)
      return { isCopied: true, text: `Copied ${words}.` }
    },
  }
  const conversation = {
    state: stateOf(items, held),
    async read({ before = 1e9, limit = 100 } = {}) {
      const older = logOf(items).filter(({ seq }) => seq < before)
      return { items: older.slice(-limit), more: older.length > limit }
    },
  }
  const notice = await copyPart({ kind: 'copy', what, number }, conversation, clipboard)
  return { copied, notice }
}

const code = answer('Two:\n\n```ts\nlet a\n```\n\n```sh\nls\n```', 'm1')
const talk = [
  userMessage('go'),
  code,
  ended('npm test', 'ok'),
  patch('completed'),
  answer('done', 'm2'),
  userMessage('more', 'u2'),
]

describe('/copy', () => {
  test('copies the last answer', async () => {
    expect((await copy(talk, 'answer')).copied).toEqual(['done'])
  })

  test('copies the last block of code, or the one with this number, of an answer that only the log has', async () => {
    expect((await copy(talk, 'code')).copied).toEqual(['ls'])
    expect((await copy(talk, 'code', 1)).copied).toEqual(['let a'])
    const { copied, notice } = await copy(talk, 'code', 3)
    expect({ copied, notice }).toMatchObject({ copied: [], notice: { level: 'warning' } })
  })

  test('copies the last command', async () => {
    expect((await copy(talk, 'command')).copied).toEqual(['npm test'])
  })

  test('copies everything as Markdown, in order', async () => {
    const { copied, notice } = await copy(talk, 'all')
    expect(copied[0]).toMatch(
      /^## You\n\ngo\n\nTwo:[\s\S]*```\n\$ npm test\nok\n```[\s\S]*```diff\n---[\s\S]*done\n\n## You\n\nmore\n$/,
    )
    expect(notice).toMatchObject({ level: 'info', text: 'Copied all 6 items as Markdown.' })
  })

  test('says what a copy of everything leaves out of long outputs', async () => {
    const output = { head: 'first\n', tail: 'last\n', totalBytes: 2_059, omittedBytes: 2_048 }
    const { copied, notice } = await copy([userMessage('go'), ended('seq 500', '', 0, { output })], 'all')
    expect(copied[0]).toContain('… 2048 bytes left out …')
    expect(notice).toMatchObject({ text: 'Copied all 2 items as Markdown, without 2.0 KB of 1 output.' })
  })

  test('puts output with a fence into a longer one', async () => {
    expect((await copy([ended('cat a.md', '```\nx\n```')], 'all')).copied[0]).toContain('````\n$ cat a.md')
  })

  test.each(['answer', 'code', 'command', 'all'] as const)('says that there is no %s yet', async (what) => {
    expect(await copy([], what)).toMatchObject({ copied: [], notice: { level: 'warning' } })
  })
})
