import type { Item } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { answer, ended, userMessage } from '../../view/scenes/conversation.ts'
import { press, screenOf, worldOf } from './pager-scene.ts'

const talk = (count: number): readonly Item[] =>
  Array.from({ length: count }, (_, n) =>
    n % 10 === 0 ? userMessage(`question ${n}`, `u${n}`) : answer(`answer ${n}`, `m${n}`),
  )

describe('the transcript view', () => {
  test('opens at the end', () => {
    expect(screenOf(worldOf(talk(30)))).toMatchInlineSnapshot(`
      "    answer 24

          answer 25

          answer 26

          answer 27

          answer 28

      ▌   answer 29
      "
    `)
  })
  test('pages up to the first item, which was only in the log', () => {
    let world = worldOf(talk(1000), { held: 20 })
    for (let pages = 0; pages < 1000 && !screenOf(world).includes('question 0\n'); pages++)
      world = press(world, 'pageup')
    expect(screenOf(world)).toMatchInlineSnapshot(`
      "▌ › question 0

          answer 1

          answer 2

          answer 3

          answer 4

          answer 5
      1 of 1,000, beginning · ? keys · / search · [ ] your messag…"
    `)
  })
  test('Home and End', () => {
    const world = press(worldOf(talk(5000), { held: 20 }), 'g')
    expect(screenOf(world)).toMatchInlineSnapshot(`
      "  › question 0

          answer 1

          answer 2

          answer 3

          answer 4

          answer 5
      4,981 of 5,000, beginning · ? keys · / search · [ ] your me…"
    `)
    expect(screenOf(press(world, 'pagedown', 'down'))).toMatchInlineSnapshot(`
      "    answer 5

          answer 6

      ▌   answer 7

          answer 8

          answer 9

        › question 10
      8 of 5,000 · ? keys · / search · [ ] your messages · Enter …"
    `)
    expect(screenOf(press(world, 'G'))).toMatchInlineSnapshot(`
      "    answer 4994

          answer 4995

          answer 4996

          answer 4997

          answer 4998

      ▌   answer 4999
      5,000 of 5,000, end · ? keys · / search · [ ] your messages…"
    `)
  })
  test('search', () => {
    const world = press(worldOf(talk(5000), { held: 20 }), '/', 'answer 777', 'enter')
    expect(screenOf(world)).toMatchInlineSnapshot(`
      "    answer 776

      ▌   answer 777

          answer 778

          answer 779

        › question 780

          answer 781
      of 5,000 · ? keys · / search · [ ] your messages · Enter op…"
    `)
  })
  test('opens', () => {
    const out = Array.from({ length: 30 }, (_, n) => `line ${n}`).join('\n')
    const world = press(worldOf([...talk(12), ended('make', out, 1)]), 'enter')
    expect(screenOf(world)).toMatchInlineSnapshot(`
      "
      ▌ $ make · exit 1 · 1.2 s
      ▌ │ line 0
      ▌ │ line 1
      ▌ │ line 2
      ▌ │ line 3
      ▌ │ line 4
      ▌ │ line 5
      ▌ │ line 6
      ▌ │ line 7
      ▌ │ line 8
      13 of 13 · ? keys · / search · [ ] your messages · Enter op…"
    `)
    expect(screenOf(press(world, 'pagedown', 'pagedown', 'pagedown'))).toMatchInlineSnapshot(`
      "▌ │ line 19
      ▌ │ line 20
      ▌ │ line 21
      ▌ │ line 22
      ▌ │ line 23
      ▌ │ line 24
      ▌ │ line 25
      ▌ │ line 26
      ▌ │ line 27
      ▌ │ line 28
      ▌ │ line 29
      13 of 13, end · ? keys · / search · [ ] your messages · Ent…"
    `)
    expect(screenOf(press(world, 'enter'))).toMatchInlineSnapshot(`
      "
      ▌ $ make · exit 1 · 1.2 s
      ▌ │ line 0
      ▌ │ line 1
      ▌ │ line 2
      ▌ │ line 3
      ▌ │ … 14 more lines
      ▌ │ line 18
      ▌ │ line 19
      ▌ │ line 20
      ▌ │ line 21
      13 of 13 · ? keys · / search · [ ] your messages · Enter op…"
    `)
  })
})
