import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { waitUntil } from '@parley/testkit'
import { expect, it } from 'vitest'
import { testPlace } from '../engine/support/test-server.ts'
import { configFor } from './support/config-for.ts'
import { startFarMachine } from './support/far-machine.ts'
import { calling, inBox, patch, shell } from './support/far-talk.ts'
import { createFarNetwork, networkComplaint } from './support/network-namespace.ts'

it('a conversation works over a cable that is pulled out and put back', { timeout: 60_000 }, async ({ skip }) => {
  const complaint = networkComplaint()
  if (complaint !== null) skip(complaint)
  using network = createFarNetwork()
  const { launcher, farAddress: host, unplug, plugIn } = network
  await using far = await startFarMachine({ launcher, host })
  await using here = testPlace()
  here.write('../.parley/config.toml', configFor(far, far.port, host))
  far.write('a', '1\n')
  const script = 'ip -o addr > net; touch begun; until [ -e go ]; do sleep 0.02; done; seq 1 20000; touch said'
  const model = calling(
    shell(script, { escalate: true, reason: 'to see its network' }),
    patch('*** Update File: a', '-1', '+2'),
  )
  const { watched } = await here.talk({ model }, inBox)
  await watched.send('go')
  await watched.decide('approved')
  await waitUntil(() => existsSync(join(far.work, 'begun')), { what: 'the command' })
  unplug()
  far.write('go', '')
  await waitUntil(() => existsSync(join(far.work, 'said')), { what: 'the output of the command' })
  plugIn()
  await watched.until(({ core }) =>
    Object.values(core.approvals).some(({ kind, state }) => kind === 'patch' && state === 'pending'),
  )
  await watched.decide('approved')
  await watched.turnEnded()
  const totalBytes = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join('').length
  const calls = watched.items().filter(({ type }) => type === 'commandExecution' || type === 'fileChange')
  expect(calls).toMatchObject([{ status: 'completed', output: { totalBytes } }, { status: 'completed' }])
  expect(far.read('a')).toBe('2\n')
  expect(far.read('net')).toContain(host)
})
