import { expect, it } from 'vitest'
import { startDeadline } from '../src/connection.ts'

const fired = (signal: AbortSignal) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))

it('a deadline is reached when its time is over', async () => {
  using deadline = startDeadline(5)
  await fired(deadline.signal)
  expect(deadline.reached).toBe(true)
})

it('a deadline pauses while the user is asked and continues afterwards', async () => {
  using deadline = startDeadline(20)
  const { promise, resolve } = Promise.withResolvers<string>()
  const paused = deadline.pausedFor(promise)
  using other = startDeadline(60)
  await fired(other.signal)
  expect(deadline.reached).toBe(false)
  resolve('yes')
  expect(await paused).toBe('yes')
  await fired(deadline.signal)
  expect(deadline.reached).toBe(true)
})
