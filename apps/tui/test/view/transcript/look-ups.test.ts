import { lookedAt } from '@parley/presentation/items/looked-at'
import { lineText } from '@parley/presentation/text/span'
import type { ConversationEvent, Item } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { layoutScreen } from '../../../src/view/layout-screen.ts'
import { liveRows } from '../../../src/view/live-zone.ts'
import { lookUpBlock } from '../../../src/view/transcript/look-ups.ts'
import { after, completed, ended, looking, read, started, turnEnded, turnStarted } from '../scenes/conversation.ts'
import { sceneOf, settledRows } from '../scenes/scene.ts'

const outside = {
  decision: {
    verdict: 'ask',
    rule: { name: 'r' },
    reason: 'x',
    limits: { sandbox: 'none', network: true },
  },
} as const

describe('a look-up is named by what it looked at', () => {
  test.each<[string, Item]>([
    ['src/a.ts', read('Read src/a.ts', '1')],
    ['src', read('List src', '1')],
    ['"cache" in src (2 hits)', read('Search "cache" in src', '1', { text: 'src/a.ts\n3:cache\n9:cache()' })],
    ['"cache" (no hits)', read('Search "cache"', '1', { text: 'Nothing was found.' })],
    ['a<U+200B>.txt', read('Read a\u200b.txt', '1')],
    ['package.json', looking('cat package.json', '1')],
    ['.', looking('ls -la', '1')],
    ['src/a.ts', looking('sed -n 1,20p src/a.ts', '1')],
    ['git status', looking('git status', '1')],
    ['cat a.txt | head -3', looking('cat a.txt | head -3', '1')],
  ])('%s', (words, item) => {
    expect(lookedAt(item)).toBe(words)
  })

  test.each<[string, Item]>([
    ['that failed', read('Read a', '1', { status: 'failed', failure: { code: 'x', message: 'There is no a.' } })],
    ['of a place of secrets', read('Read .env', '1', { facts: { kind: 'read', paths: [{ secret: true }] } })],
    ['outside the sandbox', looking('cat a', '1', outside)],
    ['that ended badly', looking('grep x a', '1', { exitCode: 1, status: 'failed' })],
    ['by a program that does more than look', looking('echo a', '1')],
    ['of which the server does not say that it only looks', ended('cat a', '', 0)],
    [
      'with a note',
      read('Read a', '1', { decision: { verdict: 'ask', rule: { name: 'r' }, reason: 'x', note: 'ok' } }),
    ],
  ])('one %s is shown by itself', (_what, item) => {
    expect(lookedAt(item)).toBeNull()
  })
})

describe('a group of look-ups', () => {
  const events: readonly ConversationEvent[] = [
    turnStarted,
    completed(read('Read a.ts', 'l1')),
    completed(looking('ls src', 'l2')),
    started(read('Read b.ts', 'l3', { status: 'inProgress' })),
  ]

  test('stays in the live zone while it grows, and is printed once before what follows', () => {
    const open = layoutScreen(sceneOf(after(...events)))
    expect(settledRows(open.screen)).toEqual([])
    expect(liveRows(open.screen.live).map(lineText)).toContain('• Looking at  a.ts · src · b.ts')
    const next = after(...events, completed(read('Read b.ts', 'l3')), completed(ended('npm test', '', 0)))
    const { screen } = layoutScreen({ ...sceneOf(next), transcript: open.transcript })
    expect(settledRows(screen).slice(0, 2)).toEqual([
      '• Looked at  a.ts · src · b.ts',
      expect.stringMatching(/Ran {2}npm/),
    ])
  })

  test('is printed when its turn ends', () => {
    const { screen } = layoutScreen(sceneOf(after(...events.slice(0, 3), turnEnded())))
    expect(settledRows(screen)[0]).toBe('• Looked at  a.ts · src')
  })

  test('takes one row and counts what does not fit', () => {
    const words = Array.from({ length: 30 }, (_, index) => `src/file-${index}.ts`)
    const rows = lookUpBlock(words, { columns: 60 }).lines.map(lineText)
    expect(rows).toEqual(['• Looked at  src/file-0.ts · … 29 more (Ctrl+T)'])
  })
})
