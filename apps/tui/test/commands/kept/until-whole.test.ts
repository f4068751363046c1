import { expect, it } from 'vitest'
import { untilWhole } from '../../../src/commands/kept/until-whole.ts'

/** Asks a server that answers with these numbers of unread conversations, the last of them for ever. */
async function asked(numbers: readonly (number | undefined)[]) {
  const said: number[] = []
  let asks = 0
  let waits = 0
  const ask = async () => {
    const unread = numbers[Math.min(asks, numbers.length - 1)]
    asks += 1
    return unread === undefined ? {} : { unread }
  }
  const wait = async () => {
    waits += 1
  }
  const { unread } = await untilWhole(ask, (left) => said.push(left), wait)
  return { unread, asks, waits, last: said.at(-1) }
}

it('an answer is asked for until nothing is unread', async () => {
  expect(await asked([3, 2, 2, 1, 0])).toEqual({ unread: 0, asks: 5, waits: 1, last: 0 })
})

it('a server of an earlier version, which does not say what is unread, is asked once', async () => {
  expect(await asked([undefined])).toEqual({ unread: 0, asks: 1, waits: 0, last: 0 })
})

it('what a store in trouble does not give is given up, and said, once it gets no less', async () => {
  expect(await asked([3, 2])).toEqual({ unread: 2, asks: 32, waits: 29, last: 0 })
})
