import { waitUntil } from '@parley/testkit'
import { RemoteProcess } from '@parley/workspace/testing'
import { expect, it } from 'vitest'
import { brittleLink } from './support/brittle-link.ts'

it('a link that is dead without a word is noticed and made again, and what runs is not disturbed', async () => {
  await using brittle = brittleLink(null, 20)
  let said = ''
  const process = new RemoteProcess(brittle.link, {
    argv: ['/bin/sh', '-c', 'echo before; sleep 600'],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    limits: null,
    isRunning: false,
    onOutput: (chunk) => {
      said += chunk.toString()
    },
  })
  await waitUntil(() => said === 'before\n', { what: 'the first output' })
  brittle.mute()
  await waitUntil(() => brittle.changes.length === 2, { what: 'the return of the link' })
  expect(brittle.changes).toMatchObject([
    { state: 'away', reason: expect.stringContaining('nothing was heard') },
    { state: 'back' },
  ])
  process.kill()
  expect(await process.ended).toMatchObject({ kind: 'ended', exitCode: 137 })
  expect(said).toBe('before\n')
})

it('a request is repeated when the link breaks at it, and is given up with a reason at the third break', async () => {
  await using brittle = brittleLink(null)
  const ask = () => brittle.link.ask('fs/getMetadata', { path: 'file:///', sandbox: null })
  brittle.breakAtNext(2)
  expect(await ask()).toMatchObject({ isDirectory: true })
  brittle.breakAtNext(3)
  await expect(ask()).rejects.toThrow('The environment box cannot be reached: the link broke at each fs/getMetadata.')
  expect(await ask()).toMatchObject({ isDirectory: true })
})

it('a request over a connection that is being closed is made over the next one', async () => {
  await using brittle = brittleLink(null)
  const connection = await brittle.link.connection()
  const closing = connection.close()
  expect(await brittle.link.ask('fs/getMetadata', { path: 'file:///', sandbox: null })).toMatchObject({
    isDirectory: true,
  })
  await closing
})
