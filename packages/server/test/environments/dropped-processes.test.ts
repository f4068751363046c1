import { createHash } from 'node:crypto'
import { standInSandboxes } from '@parley/exec-server/test/support/stand-in-sandboxes.ts'
import type { Sandboxes } from '@parley/host'
import { RpcError } from '@parley/rpc'
import { waitUntil } from '@parley/testkit'
import { type ExecLink, remoteKept } from '@parley/workspace/testing'
import { describe, expect, it } from 'vitest'
import { placeLink } from './support/place-link.ts'

const conversation = 'c-1'
const lasting = { conversation, conversationLingerMs: 60_000, answersWithinMs: 50 }

/** Resolves when a link is there again. */
const isBack = (link: ExecLink) => waitUntil(() => link.connection().catch(() => null), { what: 'the link' })

/** Resolves when an exec-server keeps nothing of a process. */
const isForgotten = (link: ExecLink, processId: string) => {
  const read = () => link.ask('process/read', { processId }).then(() => false, isUnknown)
  return waitUntil(read, { what: `nothing of ${processId}` })
}

const isUnknown = (error: unknown) => error instanceof RpcError && error.data?.code === 'unknownProcess'

describe('a process that nobody follows any more', () => {
  it('is ended also when the link breaks at the request', async () => {
    await using one = placeLink({ answersWithinMs: 50 })
    const process = one.start('sleep 600')
    await process.started
    one.breakAt('process/terminate')
    process.kill()
    await one.place.noDescendants()
    expect(await process.ended).toMatchObject({ kind: 'ended', exitCode: 137 })
  })

  it('is ended when its conversation finds it again after it counted as lost', async () => {
    await using one = placeLink({ ...lasting, patienceMs: 50 })
    const process = one.start('sleep 600', { name: 'build' })
    await process.started
    one.cut()
    expect(await process.ended).toMatchObject({ kind: 'lost' })
    one.mend()
    await isBack(one.link)
    await one.place.noDescendants()
    await isForgotten(one.link, 'build')
  })

  it('is ended when the next server, which could not reach the machine, finds it', async () => {
    await using one = placeLink({ ...lasting, patienceMs: 50 })
    await Promise.all(['followed', 'stray'].map((name) => one.start(`echo ${name}; sleep 600`, { name }).started))
    one.cut()
    await one.link[Symbol.asyncDispose]()
    const next = one.next()
    const kept = remoteKept(next)
    expect((await kept.found(false)).ages.size).toBe(0)
    kept.keepOnly(new Set(['followed']))
    one.mend()
    await isBack(next)
    await isForgotten(next, 'stray')
    expect(await next.ask('process/read', { processId: 'followed' })).toMatchObject({ exited: false })
  })

  it('is kept where it has ended with a name, and not without one', async () => {
    await using one = placeLink(lasting)
    const named = one.start('true', { name: 'build' })
    const unnamed = one.start('true')
    expect(await Promise.all([named.ended, unnamed.ended])).toMatchObject([{ kind: 'ended' }, { kind: 'ended' }])
    // Behind what was told of the other.
    await one.link.ask('environment/info', {})
    const next = one.next()
    expect([...(await next.connection()).processes.keys()]).toEqual(['build'])
    remoteKept(next).forget('build')
    await isForgotten(next, 'build')
  })

  it('is no reason to leave a connection open that comes after the link was closed', async () => {
    const known = Promise.withResolvers<void>()
    const sandboxes = standInSandboxes()
    const report = () => known.promise.then(() => sandboxes.report())
    await using one = placeLink({ sandboxes: { ...sandboxes, report } })
    const connecting = one.link.connection()
    await waitUntil(() => one.open === 1, { what: 'the connection' })
    const closed = one.link[Symbol.asyncDispose]()
    known.resolve()
    await expect(connecting).rejects.toThrow('The environment box cannot be reached: it is being closed.')
    await closed
    expect(one.open).toBe(0)
  })
})

it('a start that is repeated over a new link, and then fails, is told as a failure', async () => {
  const gate = Promise.withResolvers<void>()
  const sandboxes = standInSandboxes({ gate: gate.promise, refusal: 'It broke.' })
  let preparing = 0
  const prepare: Sandboxes['prepare'] = (...limits) => {
    preparing += 1
    return sandboxes.prepare(...limits)
  }
  await using one = placeLink({ sandboxes: { ...sandboxes, prepare }, answersWithinMs: 50 })
  await one.link.connection()
  const process = one.start('true', { sandboxed: true })
  await waitUntil(() => preparing === 1, { what: 'the start' })
  one.cut()
  one.mend()
  await isBack(one.link)
  // Sent after the repeated start.
  await one.link.ask('environment/info', {})
  gate.resolve()
  expect(await process.ended).toMatchObject({ kind: 'notStarted', sandboxBroke: true })
})

it('output is read again in pieces that a slow link takes before it counts as silent', async () => {
  await using one = placeLink(lasting)
  const [first, second] = [createHash('sha256'), createHash('sha256')]
  let [sentBytes, readBytes] = [0, 0]
  const script = 'head -c 3000000 /dev/urandom; sleep 600'
  const process = one.start(script, {
    name: 'build',
    onOutput(chunk) {
      first.update(chunk)
      sentBytes += chunk.length
    },
  })
  await waitUntil(() => sentBytes === 3_000_000, { what: 'the output' })
  process.leave()
  one.start(script, {
    name: 'build',
    followedOver: one.next(),
    onOutput(chunk) {
      second.update(chunk)
      readBytes += chunk.length
    },
  })
  await waitUntil(() => readBytes === 3_000_000, { what: 'the output again' })
  expect(second.digest('hex')).toBe(first.digest('hex'))
  expect(one.longest).toBeLessThan(512 * 1024)
})
