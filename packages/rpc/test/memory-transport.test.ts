import { expect, it } from 'vitest'
import { createMemoryTransportPair } from '../src/index.ts'

it('a memory pair delivers in order, but not synchronously, and ends both ends', async () => {
  const [here, there] = createMemoryTransportPair()
  const received: unknown[] = []
  const reading = (async () => {
    for await (const incoming of there.incoming) received.push(incoming)
    await there.close()
  })()
  for (let count = 0; count < 1000; count += 1) here.send(String(count))
  expect(received).toEqual([])
  await here.close()
  await reading
  expect(received).toEqual(Array.from({ length: 1000 }, (_, value) => ({ kind: 'message', value })))
  expect([await here.closed, await there.closed]).toEqual([{ code: 'closed' }, { code: 'ended' }])
})
