import { type CloseReason, type Incoming, type Transport, withIncoming } from '@parley/rpc'
import { EnvironmentUnreachableError } from '../files/errors.ts'

/** Machine with an exec-server that connects by itself. */
export interface MachineName {
  /** User of the token that it brings; null where the server has no users. */
  readonly owner: string | null
  readonly name: string
}

/** Offer of a machine to be worked on, over one connection. */
export interface MachineOffer extends MachineName {
  /** Users besides the owner with the right to work there. */
  readonly users: readonly string[]
  /** Text that differs for each start of an exec-server. */
  readonly run: string
  /** Returns true while the token of the connection counts. */
  mayStay(): boolean
}

/** Exec-servers that have connected to this server, with the connections that wait for work. */
export interface ConnectedMachines {
  /**
   * Resolves to what takes the connection of a machine, or to why it is turned away: another exec-server has the name,
   * or its user has too many machines.
   */
  admit(offer: MachineOffer): Promise<((transport: Transport) => void) | 'nameTaken' | 'tooMany'>
  /**
   * Resolves to a connection for a conversation of these users; without users, of the operator. Rejects with
   * `EnvironmentUnreachableError`, in the same words for a missing machine and for one that they may not use.
   */
  take(machine: MachineName, users: readonly string[], signal: AbortSignal): Promise<Transport>
  /** Returns true where a user may work on a machine, whether it is connected now or not. */
  permits(machine: MachineName, user: string): boolean
  /**
   * Returns true where conversations of these users find a machine once it is connected; without users, of the
   * operator.
   */
  serves(machine: MachineName, users: readonly string[]): boolean
  /** Returns true for a machine that has refused to work for a user; false for one that has not connected yet. */
  refuses(machine: MachineName, user: string): boolean
  /** Closes connections with tokens that no longer count. */
  recheck(): void
}

interface Machine {
  users: readonly string[]
  run: string
  /** Connections without work, the newest last. */
  readonly waiting: Transport[]
  readonly open: Map<Transport, MachineOffer>
}

/** Connections of one machine that wait at a time; it makes the next one when one is taken. */
const mostWaiting = 4
/** Connected machines of one user. */
const mostMachines = 50
/** Time limit for a waiting connection to answer a ping before it gets work. */
const answersWithinMs = 2000
/** Time after the start to wait for machines that were connected to an earlier process. */
const usualComingMs = 10_000

/** Creates the list, which is empty at first: machines connect within some seconds after the start of a server. */
export function createConnectedMachines(
  comingMs = usualComingMs,
  onChange: (machine: MachineName, isThere: boolean) => void = () => undefined,
): ConnectedMachines {
  const machines = new Map<string, Machine>()
  const wanting = new Set<() => void>()
  const comingUntilMs = performance.now() + comingMs

  async function admit(offer: MachineOffer) {
    const known = machines.get(keyOf(offer))
    if (known !== undefined && known.run !== offer.run && (await isAlive(known))) return 'nameTaken'
    const others = ofOwner(machines, offer).filter(([, { open }]) => open.size > 0)
    if ((known?.open.size ?? 0) === 0 && others.length >= mostMachines) return 'tooMany'
    return (transport: Transport) => join(offer, transport)
  }

  function join(offer: MachineOffer, connection: Transport): void {
    // Its user may have been removed while other connections with its name were tested.
    if (!offer.mayStay()) return void connection.close()
    const { transport, isHeard } = readAhead(connection)
    const machine = machines.get(keyOf(offer)) ?? machineOf(offer)
    // The newest last: the ones that came first are forgotten first.
    machines.delete(keyOf(offer))
    machines.set(keyOf(offer), machine)
    if (machine.run !== offer.run) closeAll(machine)
    machine.run = offer.run
    machine.users = offer.users
    if (machine.open.size === 0) onChange(offer, true)
    machine.open.set(transport, offer)
    forgetGone(machines, offer)
    machine.waiting.push(transport)
    if (machine.waiting.length > mostWaiting) void machine.waiting.shift()?.close()
    void transport.closed.then(() => {
      leave(machine, transport)
      if (machine.open.size === 0) onChange(offer, false)
    })
    // An exec-server speaks only when asked: earlier input is its end, or comes from another program.
    void isHeard.then(() => void (machine.waiting.includes(transport) && transport.close()))
    for (const wake of wanting) wake()
  }

  async function take(name: MachineName, users: readonly string[], signal: AbortSignal): Promise<Transport> {
    for (;;) {
      signal.throwIfAborted()
      const machine = machines.get(keyOf(name))
      const isThere = machine !== undefined && machine.open.size > 0 && serves(name, users)
      if (!isThere && performance.now() >= comingUntilMs) throw notThere(name)
      const transport = isThere ? machine.waiting.pop() : undefined
      if (transport === undefined) await nextJoin(signal)
      else if (await answers(transport)) return transport
      else void transport.close()
    }
  }

  /** Resolves when a connection has come, on abort, and when machines are no longer waited for. */
  async function nextJoin(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const leftMs = comingUntilMs - performance.now()
    const timer = leftMs > 0 ? setTimeout(resolve, leftMs) : undefined
    wanting.add(resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
    clearTimeout(timer)
    wanting.delete(resolve)
  }

  function serves(name: MachineName, users: readonly string[]): boolean {
    return name.owner === null ? users.length === 0 : users.length > 0 && users.every((user) => permits(name, user))
  }

  function permits(name: MachineName, user: string): boolean {
    if (name.owner === null) return false
    return user === name.owner || (machines.get(keyOf(name))?.users.includes(user) ?? false)
  }

  return {
    ...{ admit, take, permits, serves },
    refuses: (name, user) => machines.has(keyOf(name)) && !permits(name, user),
    recheck() {
      for (const { open } of machines.values())
        for (const [transport, offer] of open) if (!offer.mayStay()) void transport.close()
    },
  }
}

/** Keeps the users of machines that are away, which `permits` goes by, for as many of one user as may be connected. */
function forgetGone(machines: Map<string, Machine>, offer: MachineOffer): void {
  const gone = ofOwner(machines, offer).filter(([, { open }]) => open.size === 0)
  for (const [key] of gone.slice(0, Math.max(0, gone.length - mostMachines))) machines.delete(key)
}

function ofOwner(machines: ReadonlyMap<string, Machine>, { owner }: MachineName): [string, Machine][] {
  const all = keyOf({ owner, name: '' })
  return [...machines].filter(([key]) => key.startsWith(all))
}

/** Reads on a connection without a reader yet: else its end, and the answer to a ping, would go unnoticed. */
function readAhead(connection: Transport): { readonly transport: Transport; readonly isHeard: Promise<unknown> } {
  const lines = connection.incoming[Symbol.asyncIterator]()
  const first = lines.next()
  async function* read(): AsyncGenerator<Incoming, CloseReason, undefined> {
    for (let step = await first; ; step = await lines.next()) {
      if (step.done === true) return step.value
      yield step.value
    }
  }
  return { transport: withIncoming(connection, read()), isHeard: first }
}

function machineOf({ users, run }: MachineOffer): Machine {
  return { users, run, waiting: [], open: new Map() }
}

function leave({ open, waiting }: Machine, transport: Transport): void {
  open.delete(transport)
  const at = waiting.indexOf(transport)
  if (at >= 0) waiting.splice(at, 1)
}

function closeAll(machine: Machine): void {
  machine.waiting.length = 0
  for (const transport of machine.open.keys()) void transport.close()
}

/** Returns true for an exec-server that answers; a machine asleep, or in another network, does not. */
async function isAlive({ open }: Machine): Promise<boolean> {
  return (await Promise.all([...open.keys()].map(answers))).includes(true)
}

async function answers(transport: Transport): Promise<boolean> {
  return (await transport.ping?.(answersWithinMs)) ?? true
}

function notThere({ owner, name }: MachineName): EnvironmentUnreachableError {
  const path = owner === null ? name : `${owner}/${name}`
  const token = owner === null ? '' : `, with the token of ${owner}`
  const others = owner === null ? '' : '; --users names others who may work there'
  return new EnvironmentUnreachableError(
    `no machine is connected as ${path} that this conversation may use. To connect it, run \`parley exec-server --connect wss://… --name ${name}\` on it${token}${others}`,
  )
}

function keyOf({ owner, name }: MachineName): string {
  return `${owner ?? ''}/${name}`
}

/** Reads `connected` of an environment: a name, behind its user's where it has one. */
export function machineNamed(connected: string): MachineName {
  const [first = '', second] = connected.split('/')
  return second === undefined ? { owner: null, name: first } : { owner: first, name: second }
}
