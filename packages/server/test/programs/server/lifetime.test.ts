import { describe, expect, it } from 'vitest'
import { createLifetime, type LifetimeOptions } from '../../../src/programs/server/lifetime.ts'

function scene(options: Partial<LifetimeOptions> = {}) {
  const state = { clients: 1, over: false, abandoned: 0 }
  const rest = Promise.withResolvers<void>()
  const life = createLifetime({
    kind: 'clients',
    idleExitMs: null,
    conversations: {
      abandon() {
        state.abandoned += 1
        return rest.promise
      },
      emptied: () => rest.promise,
    },
    onFault: () => undefined,
    ...options,
  })
  void life.over.then(() => {
    state.over = true
  })
  const clients = (count: number) => {
    state.clients = count
    life.changed(count)
  }
  return { state, rest, life, clients }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('a server for its clients', () => {
  it('ends when the last one has left and nothing is open', async () => {
    const { state, rest, clients } = scene()
    clients(2)
    clients(1)
    await settle()
    expect(state).toMatchObject({ over: false, abandoned: 0 })
    clients(0)
    await settle()
    expect(state).toMatchObject({ over: false, abandoned: 1 })
    rest.resolve()
    await settle()
    expect(state.over).toBe(true)
  })

  it('goes on when a client comes just before the end', async () => {
    const { state, rest, clients } = scene()
    clients(0)
    clients(1)
    rest.resolve()
    await settle()
    expect(state.over).toBe(false)
    clients(0)
    await settle()
    expect(state).toMatchObject({ over: true, abandoned: 2 })
  })

  it('ends although something could not be closed', async () => {
    const { state, rest, clients } = scene()
    clients(0)
    rest.reject(new Error('the disk'))
    await settle()
    expect(state.over).toBe(true)
  })
})

describe('a service', () => {
  it('lets work go on without clients, and ends on request', async () => {
    const { state, rest, clients, life } = scene({ kind: 'service' })
    clients(0)
    rest.resolve()
    await settle()
    expect(state).toMatchObject({ over: false, abandoned: 0 })
    life.end()
    await settle()
    expect(state.over).toBe(true)
  })

  it('ends after the idle time without clients', async () => {
    const { rest, clients, life } = scene({ kind: 'service', idleExitMs: 1 })
    clients(0)
    rest.resolve()
    await expect(life.over).resolves.toBeUndefined()
  })

  it('restarts the idle time after each client', async () => {
    const { state, rest, clients } = scene({ kind: 'service', idleExitMs: 0 })
    clients(0)
    rest.resolve()
    await Promise.resolve()
    clients(1)
    await settle()
    await settle()
    expect(state.over).toBe(false)
  })
})
