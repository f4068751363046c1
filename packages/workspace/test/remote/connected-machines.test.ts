import { createMemoryTransportPair, type Transport } from '@parley/rpc'
import { describe, expect, it } from 'vitest'
import {
  type ConnectedMachines,
  createConnectedMachines,
  type MachineOffer,
} from '../../src/remote/connected-machines.ts'

const laptop: MachineOffer = { owner: 'ada', name: 'laptop', run: 'one', users: ['bo'], mayStay: () => true }
const open = { owner: null, name: 'laptop' }
const { signal } = new AbortController()

/** Connects a machine. Resolves to its end of the connection, or to why it is turned away. */
async function connect(machines: ConnectedMachines, offer: MachineOffer, isAlive = true): Promise<Transport | string> {
  const [here, there] = createMemoryTransportPair()
  const admitted = await machines.admit(offer)
  if (typeof admitted === 'string') return admitted
  admitted(Object.assign(here, { ping: () => Promise.resolve(isAlive) }))
  void drain(there)
  return there
}

/** Reads until the other end closes, as a peer does. */
async function drain(transport: Transport): Promise<void> {
  for await (const _ of transport.incoming);
  await transport.close()
}

const reasonOf = (taken: Promise<unknown>) => taken.then(String, (error: Error) => error.message)

describe('machines that connect', () => {
  it('give each connection that waits to one taker, and the next comes when a machine makes it', async () => {
    const machines = createConnectedMachines(0)
    await connect(machines, laptop)
    const first = await machines.take(laptop, ['ada'], signal)
    const second = machines.take(laptop, ['ada'], signal)
    await connect(machines, laptop)
    expect(await second).not.toBe(first)
  })

  it('are for their owner and those whom the owner names, and not there in the same words for all others', async () => {
    const machines = createConnectedMachines(0)
    const unknown = await reasonOf(machines.take({ owner: 'ada', name: 'laptop' }, ['cy'], signal))
    await connect(machines, laptop)
    expect(await reasonOf(machines.take(laptop, ['cy'], signal))).toBe(unknown)
    expect(await reasonOf(machines.take(laptop, ['ada', 'cy'], signal))).toBe(unknown)
    expect(await reasonOf(machines.take(laptop, [], signal))).toBe(unknown)
    expect([machines.permits(laptop, 'ada'), machines.permits(laptop, 'bo'), machines.permits(laptop, 'cy')]).toEqual([
      true,
      true,
      false,
    ])
    await expect(machines.take(laptop, ['bo'], signal)).resolves.toBeDefined()
  })

  it('of a server without users are for conversations without users, and no user’s name reaches them', async () => {
    const machines = createConnectedMachines(0)
    await connect(machines, { ...laptop, ...open, users: [] })
    await expect(machines.take(open, ['ada'], signal)).rejects.toThrow('no machine is connected as laptop')
    await expect(machines.take(laptop, ['ada'], signal)).rejects.toThrow('no machine is connected as ada/laptop')
    await expect(machines.take(open, [], signal)).resolves.toBeDefined()
  })

  it('of one name do not take it from one that answers, and take it from one that does not', async () => {
    const machines = createConnectedMachines(0)
    await connect(machines, laptop)
    expect(await connect(machines, { ...laptop, run: 'two' })).toBe('nameTaken')
    expect(await connect(machines, { ...laptop, owner: 'bo', run: 'two' })).not.toBe('nameTaken')

    const asleep = createConnectedMachines(0)
    const old = await connect(asleep, laptop, false)
    await connect(asleep, { ...laptop, run: 'two' })
    await expect(asleep.take(laptop, ['ada'], signal)).resolves.toBeDefined()
    expect(await (typeof old === 'string' ? null : old.closed)).toMatchObject({ code: 'ended' })
  })

  it('that have gone to sleep are not given work, which waits for a connection that answers', async () => {
    const machines = createConnectedMachines(0)
    await connect(machines, laptop, false)
    const taken = machines.take(laptop, ['ada'], signal)
    await connect(machines, laptop)
    await expect(taken).resolves.toBeDefined()
  })

  it('are waited for after the start of a server, until who asks gives up', async () => {
    const machines = createConnectedMachines(60_000)
    const asked = new AbortController()
    const given = machines.take(laptop, ['ada'], signal)
    const dropped = reasonOf(machines.take(laptop, ['cy'], asked.signal))
    await connect(machines, laptop)
    await expect(given).resolves.toBeDefined()
    asked.abort(new Error('enough'))
    expect(await dropped).toBe('enough')
  })

  it('are closed when their token no longer counts', async () => {
    const machines = createConnectedMachines(0)
    let stays = true
    const there = await connect(machines, { ...laptop, mayStay: () => stays })
    machines.recheck()
    stays = false
    machines.recheck()
    expect(await (typeof there === 'string' ? null : there.closed)).toMatchObject({ code: 'ended' })
    await expect(machines.take(laptop, ['ada'], signal)).rejects.toThrow('no machine is connected')
    // A user who was removed between the look at the token and the connection.
    const late = await connect(machines, { ...laptop, mayStay: () => stays })
    expect(await (typeof late === 'string' ? null : late.closed)).toMatchObject({ code: 'ended' })
    await expect(machines.take(laptop, ['ada'], signal)).rejects.toThrow('no machine is connected')
  })

  it('that speak without being asked are no exec-servers, and are closed', async () => {
    const machines = createConnectedMachines(0)
    const there = await connect(machines, laptop)
    if (typeof there === 'string') throw new Error(there)
    there.send('{}')
    expect(await there.closed).toMatchObject({ code: 'ended' })
    await expect(machines.take(laptop, ['ada'], signal)).rejects.toThrow('no machine is connected')
  })

  it('that are gone are forgotten, those first that came longest ago', async () => {
    const machines = createConnectedMachines(0)
    for (let count = 0; count <= 50; count++) {
      let stays = true
      const there = await connect(machines, { ...laptop, name: `m${count}`, mayStay: () => stays })
      stays = false
      machines.recheck()
      await (typeof there === 'string' ? null : there.closed)
    }
    const knows = (name: string) => machines.refuses({ owner: 'ada', name }, 'cy')
    expect([knows('m0'), knows('m50')]).toEqual([true, true])
    await connect(machines, laptop)
    expect([knows('m0'), knows('m1'), knows('m50'), knows('laptop')]).toEqual([false, true, true, true])
    expect(machines.refuses(laptop, 'bo')).toBe(false)
  })

  it('are 50 of one user at most', async () => {
    const machines = createConnectedMachines(0)
    for (let count = 0; count < 50; count++) await connect(machines, { ...laptop, name: `m${count}` })
    expect(await connect(machines, laptop)).toBe('tooMany')
    const known = await connect(machines, { ...laptop, owner: 'bo', name: 'old' })
    if (typeof known === 'string') throw new Error(known)
    await known.close()
    for (let count = 0; count < 50; count++) await connect(machines, { ...laptop, owner: 'bo', name: `m${count}` })
    expect(await connect(machines, { ...laptop, owner: 'bo', name: 'old' })).toBe('tooMany')
    expect(await connect(machines, { ...laptop, owner: 'cy' })).not.toBe('tooMany')
  })
})
