import { STORE_GONE, StorageError } from '@parley/journal'
import type { Project } from '@parley/policy'
import { diskFiles, EnvironmentUnreachableError } from '@parley/workspace'
import { describe, expect, it } from 'vitest'
import { createHooks } from '../../src/hooks/conversation-hooks.ts'
import { projectInEnvironment } from '../../src/project/conversation-project.ts'

const away = new EnvironmentUnreachableError('The environment box is away.')
const config = { effective: { values: {}, origins: new Map(), warnings: [], misplaced: [] }, own: {}, project: null }
const moment = { on: 'PreToolUse', subject: 'Bash' } as const

type HookParts = Parameters<typeof createHooks>[0]
type Input = ReturnType<Parameters<ReturnType<typeof createHooks>['run']>[1]>

const noPorts = {} as Parameters<typeof createHooks>[1]
const commonFields = {} as Input

/** A conversation on a machine that is away until it is told otherwise. */
function onMachine(found: Project | null, trouble: () => Error | null = () => null) {
  const machine = { isAway: true, looks: 0 }
  const reach = () => (machine.isAway ? Promise.reject(away) : Promise.resolve())
  const remote = () => {
    machine.looks += 1
    const error = trouble()
    return error === null ? Promise.resolve(found) : Promise.reject(error)
  }
  const environment = { name: 'box', machine: null, reachedBy: '', reach, files: diskFiles, home: '/home/far', env: {} }
  const parts = { config, environment, overrides: {}, cwd: () => '/' }
  return { machine, project: projectInEnvironment(parts, { home: '/nowhere', projects: { remote } }) }
}

/** Conversation in which nothing has happened yet. */
const conversation = {
  ...{ started: false, state: { core: { usage: {} } } },
  ...{ recordAll: () => undefined, synced: () => Promise.resolve() },
}

describe('a project whose machine is away', () => {
  it('is unread, and is read once the machine is back', async () => {
    const { machine, project } = onMachine(null)
    await project.read()
    expect(project.isRead).toBe(false)
    await expect(project.latest()).rejects.toBe(away)
    machine.isAway = false
    await Promise.all([project.read(), project.read()])
    await project.read()
    expect([project.isRead, machine.looks]).toEqual([true, 1])
  })

  it('is waited for by hooks until they are interrupted, and no longer', async () => {
    const project = { isRead: false, read: () => Promise.withResolvers<void>().promise }
    const parts = { conversation, project, hooks: () => [] } as unknown as HookParts
    const stop = new AbortController()
    const run = createHooks(parts, noPorts).run(moment, () => commonFields, stop.signal)
    const first = run[Symbol.asyncIterator]().next()
    stop.abort()
    expect(await first).toEqual({ done: true, value: undefined })
  })

  it('counts as one with hooks until it was read', async () => {
    const { machine, project } = onMachine(null)
    const parts = { conversation, project, hooks: () => [] } as unknown as HookParts
    const hooks = createHooks(parts, noPorts)
    expect(hooks.has(moment)).toBe(true)
    machine.isAway = false
    const ran: unknown[] = []
    for await (const one of hooks.run(moment, () => commonFields, new AbortController().signal)) ran.push(one)
    expect([ran, project.isRead, hooks.has(moment)]).toEqual([[], true, false])
  })

  it('has its hooks of the start at its return, when those of the user have run', async () => {
    const { machine, project } = onMachine(null)
    const placed = (['user', 'project'] as const).map((source) => ({ on: 'SessionStart', source, matcher: '' }))
    const mine = placed.slice(0, 1)
    const hooks = (all: typeof placed) =>
      createHooks({ conversation, project, hooks: () => all } as unknown as HookParts, noPorts)
    const late = hooks(placed)
    const without = hooks(mine)
    const begun = () =>
      [late, without].map((one) => {
        const moments = [one.begin(), one.begin()]
        one.hasBegun(moments[0] ?? moment)
        return [...moments, one.begin()]
      })
    const start = { on: 'SessionStart', subject: 'startup' } as const
    const users = { ...start, only: 'user' } as const
    expect(begun()).toEqual([
      [users, users, null],
      [users, users, null],
    ])
    expect(hooks([]).has(users)).toBe(false)
    machine.isAway = false
    await project.read()
    const theirs = { ...start, only: 'project' } as const
    expect(begun()).toEqual([
      [theirs, theirs, null],
      [theirs, theirs, null],
    ])
    expect([late.has(theirs), without.has(theirs)]).toEqual([true, false])
    expect(hooks(placed).begin()).toEqual(start)
  })

  it('is unread while the store is away that has what was decided', async () => {
    const gone = new StorageError({ code: STORE_GONE, operation: 'read', path: 'nats://test' })
    const { machine, project } = onMachine(null, () => gone)
    machine.isAway = false
    await expect(project.read()).rejects.toBe(gone)
    expect(project.isRead).toBe(false)
  })
})
