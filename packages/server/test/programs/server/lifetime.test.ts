import { describe, expect, it } from 'vitest'
import { createLifetime, type LifetimeOptions } from '../../../src/programs/server/lifetime.ts'

function scene(options: Partial<LifetimeOptions> = {}) {
  const state = { clients: 1, over: false, abandoned: 0 }
  const rest = Promise.withResolvers<void>()
  const life = createLifetime({
    kind: 'clients',
    idleExitMs: null,
    clients: () => state.clients,
    work: {
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
    life.changed()
  }
  return { state, rest, life, clients }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('the life of a server for its clients', () => {
  it('is over once the last one has left and nothing is open any more', async () => {
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

  it('goes on when someone comes while it was about to end', async () => {
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

  it('is over although something could not be closed', async () => {
    const { state, rest, clients } = scene()
    clients(0)
    rest.reject(new Error('the disk'))
    await settle()
    expect(state.over).toBe(true)
  })
})

describe('the life of a service', () => {
  it('does not end what runs, and is over when it is told to', async () => {
    const { state, rest, clients, life } = scene({ kind: 'service' })
    clients(0)
    rest.resolve()
    await settle()
    expect(state).toMatchObject({ over: false, abandoned: 0 })
    life.end()
    await settle()
    expect(state.over).toBe(true)
  })

  it('is over when nobody has come for as long as it was told to wait', async () => {
    const { rest, clients, life } = scene({ kind: 'service', idleExitMs: 1 })
    clients(0)
    rest.resolve()
    await life.over
  })

  it('waits anew after each client', async () => {
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
