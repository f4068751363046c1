import { waitUntil } from '@parley/testkit'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { UnusableStoreError } from '../../src/store/connection/connect-store.ts'
import { unlessGone, whileOpening } from '../../src/store/connection/while-electing.ts'

const never = () => new Promise<never>(() => undefined)

beforeEach(
  () =>
    void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] }),
)
afterEach(() => void vi.useRealTimers())

describe('a question to a store that does not answer', () => {
  test('is given up when it has been away for as long as an election takes, and not before', async () => {
    const startMs = performance.now()
    let failure: unknown = null
    const asked = unlessGone(never, () => performance.now() - startMs).catch((error: unknown) => {
      failure = error
    })
    await vi.advanceTimersByTimeAsync(19_000)
    expect(failure).toBeNull()
    await vi.advanceTimersByTimeAsync(1500)
    await asked
    expect(failure).toMatchObject({ name: 'TimeoutError' })
  })

  test('has two seconds where it has been away for longer: it may be back', async () => {
    const answer = Promise.withResolvers<string>()
    const asked = [
      unlessGone(never, () => 60_000).catch(() => 'given up'),
      unlessGone(
        () => answer.promise,
        () => 60_000,
      ),
    ]
    await vi.advanceTimersByTimeAsync(1900)
    answer.resolve('here')
    await vi.advanceTimersByTimeAsync(600)
    expect(await Promise.all(asked)).toEqual(['given up', 'here'])
  })

  test('is waited for as long as the store answers others', async () => {
    const answer = Promise.withResolvers<string>()
    const asked = unlessGone(
      () => answer.promise,
      () => null,
    )
    await vi.advanceTimersByTimeAsync(60_000)
    answer.resolve('a long list')
    expect(await asked).toBe('a long list')
  })
})

describe('a store that is opened while its servers start', () => {
  test('is waited for with one line, after a second, and with a reason once they should have started', async () => {
    const said: string[] = []
    const tries: PromiseWithResolvers<string>[] = []
    const open = () => {
      const next = Promise.withResolvers<string>()
      tries.push(next)
      return next.promise
    }
    /** Fails the try that runs, and waits for the next: the pause between them is no fake. */
    const fail = async (reason: string) => {
      const { length } = tries
      tries.at(-1)?.reject(new UnusableStoreError(reason, { passes: true }))
      await waitUntil(() => tries.length === length + 1, { what: 'the next try' })
    }
    const wait = { onAway: (text: string) => void said.push(text), isPatient: true }
    const opened = whileOpening(open, wait, () => 'It does not answer.')
    await vi.advanceTimersByTimeAsync(999)
    expect(said).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    await fail('It cannot be reached.')
    await fail('It has no leader.')
    expect(said).toEqual(['It does not answer.'])
    await vi.advanceTimersByTimeAsync(20_000)
    await fail('It has no leader.')
    tries.at(-1)?.resolve('open')
    expect(await opened).toBe('open')
    expect(said).toEqual(['It does not answer.', 'It has no leader.'])
  })
})
