import { expect, test } from 'vitest'
import { createStopper, StoppedError, unlessStopped } from '../../../src/scripted/end/stopper.ts'

test('work that ends first has its own outcome', async () => {
  const { signal } = createStopper()
  expect(await unlessStopped(Promise.resolve(1), signal)).toBe(1)
  await expect(unlessStopped(Promise.reject(new Error('mine')), signal)).rejects.toThrow('mine')
})

test('a stop rejects at once with its reason, and the first reason counts', async () => {
  const stopper = createStopper()
  const waiting = unlessStopped(new Promise(() => undefined), stopper.signal)
  const reason = new StoppedError(130)
  stopper.stop(reason)
  stopper.stop(new StoppedError(7))
  await expect(waiting).rejects.toBe(reason)
  await expect(unlessStopped(new Promise(() => undefined), stopper.signal)).rejects.toBe(reason)
})

test('work that fails after the stop disturbs nobody', async () => {
  const stopper = createStopper()
  const work = Promise.withResolvers<never>()
  const waiting = unlessStopped(work.promise, stopper.signal)
  stopper.stop(new StoppedError(143))
  await expect(waiting).rejects.toMatchObject({ exitCode: 143 })
  work.reject(new Error('too late'))
  await expect(work.promise).rejects.toThrow('too late')
})
