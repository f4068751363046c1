import type { CreateOptions } from '@parley/client'
import { expect, test } from 'vitest'
import { createBeside } from '../../src/conversation/open-conversation.ts'

/** Returns what is asked for by `/new` in a conversation, in a window that was started with flags. */
function asked(environment: string | undefined, flags = {}): CreateOptions[] {
  const all: CreateOptions[] = []
  const create = (options: CreateOptions) => {
    all.push(options)
    return new Promise<never>(() => undefined)
  }
  const settings = environment === undefined ? {} : { environment }
  void createBeside({ create }, { meta: { cwd: '/srv/app' }, settings }, { flags, extra: {} })
  return all
}

test('a conversation after one in an environment begins there, in its folder, however the window was started', () => {
  const there = { cwd: '/srv/app', environment: 'laptop', environmentCwd: '/srv/app' }
  expect(asked('laptop')).toMatchObject([there])
  expect(asked('laptop', { environment: 'box', cd: '/other' })).toMatchObject([there])
})

test('one after a conversation of this machine begins here, also where the window or the settings name another', () => {
  const here = { cwd: '/srv/app', environment: 'local' }
  expect(asked(undefined)).toMatchObject([here])
  expect(asked(undefined, { environment: 'laptop' })).toMatchObject([here])
})
