import { describe, expect, it } from 'vitest'
import { answerIn } from '../../src/reduce/answer.ts'
import type { Item } from '../../src/schema/item.ts'

let made = 0
function item(type: 'agentMessage' | 'reasoning', text: string, more: object = {}): Item {
  made += 1
  return { id: `item_${made}` as Item['id'], type, status: 'completed', title: '', text, ...more }
}

const said = (text: string) => item('agentMessage', text)
const further = (text: string) => item('agentMessage', text, { continues: true })
const pictured = (text: string, continues?: true) =>
  item('agentMessage', text, { images: [], ...(continues ? { continues } : {}) })
const thought = item('reasoning', 'hm')

describe('the answer in items', () => {
  it.each<[string, readonly Item[], string | null]>([
    ['nothing', [], null],
    ['reasoning alone', [thought], null],
    ['one message', [said('a')], 'a'],
    ['the last of two responses', [said('a'), thought, said('b')], 'b'],
    ['all texts of the last response', [said('a'), said('b'), thought, further('c'), further('d')], 'b\n\nc\n\nd'],
    ['texts of which one is blank', [said('\n'), further('b'), further(' '), further('c')], 'b\n\nc'],
    ['a text whose beginning is not there', [further('b')], 'b'],
    ['a blank text alone', [said(' ')], ' '],
    ['what the model wrote around pictures', [pictured('p'), further('{"a":1}'), pictured('q', true)], '{"a":1}'],
    ['pictures alone', [pictured('p'), further('\n'), pictured('q', true)], 'p\n\nq'],
  ])('is that of %s', (_what, items, answer) => {
    expect(answerIn(items)).toBe(answer)
  })
})
