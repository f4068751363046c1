import type { Item, ItemOf } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { keyPress } from '../../../src/ui/keys/key-event.ts'
import { openPager } from '../../../src/ui/pager/pager.ts'
import { updatePager } from '../../../src/ui/pager/update-pager.ts'
import { after, answer, delta, ended, patch, started, userMessage } from '../../view/scenes/conversation.ts'
import { cursorOf, press, screenOf, settled, small, stateOf, type World, worldOf } from './pager-scene.ts'

const talk = (count: number): readonly Item[] =>
  Array.from({ length: count }, (_, n) =>
    n % 10 === 0 ? userMessage(`question ${n}`, `u${n}`) : answer(`answer ${n}`, `m${n}`),
  )
const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}`).join('\n')
const reasoning = {
  id: 'r',
  type: 'reasoning',
  status: 'completed',
  title: '',
  text: '**Plan**\n\nfirst the tests',
} as const
const lastRow = (world: World) => screenOf(world).split('\n').at(-1)
const copied = ({ done }: World) => done.flatMap((effect) => (effect.kind === 'copy' ? [effect.text] : []))

describe('moving', () => {
  test('begins at the end and pages up to the first item, which only the log has', () => {
    let world = worldOf(talk(1_000), { held: 20 })
    expect(cursorOf(world)).toBe('m999')
    const seen = new Set<string>()
    while (!screenOf(world).includes('beginning')) {
      for (const [text] of screenOf(world).matchAll(/(?:question|answer) \d+/g)) seen.add(text)
      world = press(world, 'pageup')
    }
    for (const [text] of screenOf(world).matchAll(/(?:question|answer) \d+/g)) seen.add(text)
    expect(seen.size).toBe(1_000)
    expect(cursorOf(world)).toBe('u0')
  })

  test('a page down undoes a page up', () => {
    const world = press(worldOf(talk(600), { held: 20 }), 'pageup', 'pageup', 'b')
    expect(screenOf(press(world, 'pageup', 'pagedown'))).toBe(screenOf(world))
  })

  test('arrows go through an item row by row, and to the next one where it ends', () => {
    const world = press(worldOf([...talk(3), ended('make', lines(30)), answer('after it', 'z')]), 'up', 'enter')
    expect(cursorOf(world)).toBe('x1')
    const rows = (count: number) => Array.from({ length: count }, () => 'j')
    expect(screenOf(press(world, ...rows(3)))).toContain('line 11\n')
    expect(cursorOf(press(world, ...rows(21)))).toBe('x1')
    expect(cursorOf(press(world, ...rows(22)))).toBe('z')
    expect(cursorOf(press(world, ...rows(22), 'up'))).toBe('x1')
  })

  test('Home goes to the first item of the log and End follows the newest', () => {
    const first = press(worldOf(talk(5_000), { held: 20 }), 'g')
    expect(screenOf(first)).toContain('question 0')
    expect(lastRow(first)).toContain('1 of 5,000, beginning')
    expect(screenOf(press(first, 'pagedown'))).toContain('answer 6')
    expect(lastRow(press(first, 'G'))).toContain('5,000 of 5,000, end')
  })

  test('brackets go from message to message of the user', () => {
    const world = press(worldOf(talk(500), { held: 20 }), '[')
    expect(cursorOf(world)).toBe('u490')
    expect(cursorOf(press(world, '[', '['))).toBe('u470')
    expect(cursorOf(press(world, '[', '[', ']'))).toBe('u480')
    expect(lastRow(press(world, ']'))).toContain('No later message')
  })

  test('keys that come before what a gap stands for has been read do not skip it', () => {
    const log = talk(1_000)
    const start = press(worldOf(log, { held: 20 }), 'g')
    const end = press(start, 'G')
    const held = (world: World, key: string, count: number) =>
      Array.from({ length: count }).reduce<World>(
        (before) => ({
          ...before,
          pager: updatePager(before.pager, { kind: 'key', event: keyPress(key) }, before.size).pager,
        }),
        world,
      )
    const up = held(end, 'pageup', 100)
    expect(screenOf(up)).not.toContain('beginning')
    const down = held(start, 'pagedown', 400)
    expect(screenOf(down)).not.toContain('end ·')
  })

  test('keeps a bounded part of the log in memory', () => {
    let world = worldOf(
      Array.from({ length: 3_000 }, (_, n) => answer('x'.repeat(30_000), `m${n}`)),
      { held: 20, size: { columns: 4_000, rows: 12 } },
    )
    for (let turns = 0; turns < 300; turns++) world = press(world, 'pageup')
    const held = world.pager.history.flatMap((part) => (part.kind === 'items' ? part.items : []))
    expect(held.length).toBeLessThan(1_200)
  })
})

describe('a live conversation', () => {
  const grown = (world: World, count: number) =>
    settled({ ...world, log: stateOf(talk(count), count).window }, { kind: 'followed', state: stateOf(talk(count)) })

  test('is followed at the end', () => {
    const world = grown(worldOf(talk(30)), 40)
    expect(screenOf(world)).toContain('answer 39')
    expect(cursorOf(world)).toBe('m39')
  })

  test('does not move what is read further up', () => {
    const world = press(worldOf(talk(30)), 'pageup')
    const text = (shown: World) => screenOf(shown).split('\n').slice(0, -1)
    expect(text(grown(world, 40))).toEqual(text(world))
  })

  test('shows what runs', () => {
    const state = after(started(answer('', 'live', 'inProgress')), delta('live', 'so far'))
    expect(screenOf(settled(worldOf([]), { kind: 'followed', state }))).toContain('so far')
  })
})

describe('folding', () => {
  const world = worldOf([userMessage('go'), reasoning, ended('make', lines(30), 1)])

  test('Enter opens the item at the cursor, and folds it again', () => {
    expect(screenOf(press(world, 'pageup'))).toContain('30 lines (Ctrl+O)')
    const opened = press(world, 'enter')
    expect(screenOf(opened)).toContain('line 8')
    expect(screenOf(opened)).not.toContain('30 lines (Ctrl+O)')
    expect(screenOf(press(opened, 'pagedown', 'o'))).toContain('30 lines (Ctrl+O)')
  })

  test('e opens everything, and r the reasoning', () => {
    expect(screenOf(press(world, 'g'))).not.toContain('first the tests')
    expect(screenOf(press(world, 'r', 'g'))).toContain('first the tests')
    const all = press(world, 'e', 'g')
    expect(screenOf(all)).toContain('first the tests')
    expect(screenOf(press(all, 'pagedown'))).toContain('line 8')
  })

  test('a patch is shown whole', () => {
    const long = patch('completed') as ItemOf<'fileChange'>
    const diff = `--- a\n+++ b\n@@ -0,0 +1,90 @@\n${Array.from({ length: 90 }, (_, n) => `+row ${n}`).join('\n')}\n`
    const item = { ...long, changes: long.changes.map((change) => ({ ...change, diff })) }
    const opened = press(worldOf([item], { size: { columns: 80, rows: 120 } }), 'enter')
    expect(screenOf(opened).match(/row \d+/g)).toHaveLength(90)
  })
})

describe('a long output', () => {
  const whole = Buffer.from(`${lines(200_000)}\n`)
  const output = {
    head: lines(3),
    tail: 'line 199999\n',
    totalBytes: whole.length,
    omittedBytes: whole.length - 40,
    totalLines: 200_000,
    file: 'sha256:f',
  }
  const world = worldOf([...talk(5), ended('seq', '', 0, { output })], { files: { 'sha256:f': whole } })

  test('is read as far as it is looked at', () => {
    const opened = press(world, 'enter', 'pagedown')
    expect(screenOf(opened)).toContain('line 12\n')
    expect(opened.done.filter(({ kind }) => kind === 'readChunk').length).toBeLessThan(4)
  })

  test('ends with its last line, and a page up from there reads backwards', () => {
    const end = press(world, 'enter', 'G')
    expect(screenOf(end)).toContain('line 199999')
    expect(screenOf(press(end, 'pageup'))).toContain('line 199985')
  })

  test('says how much of it was not kept', () => {
    const longer = { ...output, totalBytes: whole.length + 33_000_000 }
    const cut = worldOf([ended('seq', '', 0, { output: longer })], { files: { 'sha256:f': whole } })
    const end = press(cut, 'enter', 'G')
    expect(screenOf(end)).toMatch(/line 199999\n.*… 31 MB more were not kept/)
    expect(screenOf(press(world, 'enter', 'G'))).not.toContain('not kept')
  })

  test('is searched to its end, and holds only a part of it in memory', () => {
    const found = press(world, 'enter', '/', 'line 190001', 'enter')
    expect(screenOf(found)).toContain('line 190001')
    const file = found.pager.files.get('sha256:f')
    expect(file?.chunks.size).toBeLessThanOrEqual(32)
  })
})

describe('search', () => {
  const long = worldOf(talk(5_000), { held: 20 })

  test('finds what only the log has, above the cursor', () => {
    const world = press(long, '/', 'answer 777', 'enter')
    expect(cursorOf(world)).toBe('m777')
    expect(screenOf(world)).toContain('answer 777')
  })

  test('n goes on in the same direction and N back', () => {
    const world = press(long, '/', 'answer 4', 'enter')
    expect(cursorOf(world)).toBe('m4999')
    const up = press(world, 'N', 'N')
    expect(cursorOf(up)).toBe('m4997')
    expect(cursorOf(press(up, 'n'))).toBe('m4998')
  })

  test('goes down first', () => {
    const world = press(long, 'g', '/', 'question 20', 'enter')
    expect(cursorOf(world)).toBe('u20')
  })

  test('says that nothing was found, and where', () => {
    expect(lastRow(press(long, '/', 'nowhere', 'enter'))).toBe('Nothing found above: nowhere')
  })

  test('opens an item that hides the match', () => {
    const world = press(worldOf([ended('make', lines(90), 1), answer('end')]), '/', 'line 40', 'enter')
    expect(screenOf(world)).toContain('line 40')
  })

  test('heeds capitals only if there are any', () => {
    const world = worldOf([answer('An Apple', 'a'), answer('apple pie', 'b')])
    expect(cursorOf(press(world, 'g', '/', 'apple', 'enter'))).toBe('a')
    expect(cursorOf(press(world, 'g', '/', 'Apple', 'enter'))).toBe('a')
    expect(lastRow(press(world, 'g', '/', 'APPLE', 'enter'))).toContain('Nothing found')
  })

  test('takes characters of regular expressions as they are', () => {
    const world = worldOf([answer('f(x) [0-9]+ a/b', 'a'), answer('last', 'b')])
    expect(cursorOf(press(world, '/', '(x) [0-9]+ a/b', 'enter'))).toBe('a')
  })

  test('Escape stops one that reads the log', () => {
    const { pager } = worldOf(talk(5_000), { held: 20 })
    const asking = { ...pager, quest: { kind: 'match', direction: 'up', turns: false, seen: 9 } as const }
    const from = { id: 'm4990', row: -1 }
    const world = { ...long, pager: { ...asking, query: 'x', quest: { ...asking.quest, origin: from, from } } }
    expect(lastRow(world)).toBe('searching, 9 looked through · Esc stops')
    expect(lastRow(press(world, 'escape'))).toBe('The search was stopped.')
    expect(press(world, 'escape').done.some(({ kind }) => kind === 'leave')).toBe(false)
  })
})

describe('copying', () => {
  const code = '```ts\nlet a\n```\n\n- in a list\n\n  ```sh\n  ls\n  ```\n'

  test('c copies an answer as it was written', () => {
    expect(copied(press(worldOf([answer(code)]), 'c'))).toEqual([code])
  })

  test('c copies a command with its output', () => {
    expect(copied(press(worldOf([ended('make', 'built\n')]), 'c'))).toEqual(['$ make\nbuilt\n'])
  })

  test('C asks which block of code where there are several', () => {
    const asked = press(worldOf([answer(code)]), 'C')
    expect(lastRow(asked)).toContain('1 ts · 2 sh')
    expect(copied(press(asked, '2'))).toEqual(['ls'])
    expect(copied(press(asked, 'escape'))).toEqual([])
  })

  test('C says that there is none', () => {
    expect(lastRow(press(worldOf([answer('words')]), 'C'))).toBe('There is no code in this item.')
  })
})

test.each(['q', 'escape', 'ctrl+t', 'ctrl+c'])('%s leaves', (key) => {
  expect(press(worldOf(talk(3)), key).done).toEqual([{ kind: 'leave' }])
})

test('what cannot be read says why, and is tried again with the next key', () => {
  const state = stateOf(talk(30), 0)
  const asked = updatePager(openPager(state), { kind: 'followed', state }, small)
  const [effect] = asked.effects
  if (effect?.kind !== 'readItems') throw new Error('nothing was read')
  const problem = { kind: 'notRead', id: effect.id, problem: 'the disk is gone' } as const
  const failed = updatePager(asked.pager, problem, small)
  expect(failed.effects).toEqual([])
  expect(screenOf({ ...worldOf([]), pager: failed.pager })).toContain('cannot be read: the disk is gone')
  const key = { kind: 'key', event: keyPress('up') } as const
  expect(updatePager(failed.pager, key, small).effects).toEqual([effect])
})
