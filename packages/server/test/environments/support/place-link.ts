import { type ExecPlace, type ExecPlaceOptions, execPlace } from '@parley/exec-server/test/support/in-process.ts'
import type { SandboxLimits } from '@parley/host'
import { createMemoryTransportPair, type Transport } from '@parley/rpc'
import { ExecLink, RemoteProcess } from '@parley/workspace/testing'

export interface PlaceLinkOptions extends ExecPlaceOptions {
  /** Conversation of the link; left out for none. */
  readonly conversation?: string
  readonly patienceMs?: number
}

/** A link to an exec-server of this process, which ends when it is told. */
export interface PlaceLink extends AsyncDisposable {
  readonly place: ExecPlace
  readonly link: ExecLink
  /** Connections that are open. */
  readonly open: number
  /** Characters of the longest message that came. */
  readonly longest: number
  start(script: string, more?: Start): RemoteProcess
  /** Ends the connection, and lets none be made until it is mended. */
  cut(): void
  mend(): void
  /** Ends the connection at the next request of a method, before it arrives. */
  breakAt(method: string): void
  /** Another link of the same conversation, with the next epoch. */
  next(): ExecLink
}

interface Start {
  readonly name?: string
  readonly sandboxed?: boolean
  /** Link of the next server, which goes on with what runs. */
  readonly followedOver?: ExecLink
  readonly onOutput?: (chunk: Buffer) => void
}

const readOnly: SandboxLimits = {
  mode: 'read-only',
  writableRoots: [],
  network: false,
  unixSockets: false,
  masked: [],
  scratch: '/tmp',
}

export function placeLink({ conversation, patienceMs = 10_000, ...options }: PlaceLinkOptions = {}): PlaceLink {
  const place = execPlace(options)
  const open = new Set<Transport>()
  const links: ExecLink[] = []
  let isCut = false
  let breaksAt: string | null = null
  let longest = 0
  const came = (message: unknown) => {
    longest = Math.max(longest, JSON.stringify(message).length)
  }
  const dial = async () => {
    if (isCut) throw new Error('it is cut')
    const [ours, theirs] = createMemoryTransportPair({ graceMs: 10 })
    open.add(ours)
    void ours.closed.then(() => open.delete(ours))
    void place.serve(theirs, () => undefined)
    return breaking(ours, came, (line) => {
      if (breaksAt === null || !line.includes(`"method":"${breaksAt}"`)) return false
      breaksAt = null
      return true
    })
  }
  const newLink = () => {
    const fence = conversation === undefined ? null : { conversation, epoch: links.length + 1 }
    const link = new ExecLink({ name: 'box', dial, patienceMs, fence, onChange: () => undefined })
    links.push(link)
    return link
  }
  const link = newLink()
  return {
    ...{ place, link },
    get open() {
      return open.size
    },
    get longest() {
      return longest
    },
    start: (script, { name, sandboxed = false, followedOver, onOutput = () => undefined } = {}) =>
      new RemoteProcess(followedOver ?? link, {
        argv: ['/bin/sh', '-c', script],
        cwd: '/',
        env: { PATH: '/usr/bin:/bin', ...place.env },
        limits: sandboxed ? readOnly : null,
        ...(name === undefined ? {} : { name }),
        isRunning: followedOver !== undefined,
        onOutput,
      }),
    cut() {
      isCut = true
      for (const transport of open) void transport.close()
    },
    mend() {
      isCut = false
    },
    breakAt(method) {
      breaksAt = method
    },
    next: newLink,
    async [Symbol.asyncDispose]() {
      for (const one of links) await one[Symbol.asyncDispose]()
      await place[Symbol.asyncDispose]()
    },
  }
}

async function* watched(incoming: Transport['incoming'], came: (message: unknown) => void) {
  const lines = incoming[Symbol.asyncIterator]()
  for (let step = await lines.next(); ; step = await lines.next()) {
    if (step.done === true) return step.value
    came(step.value)
    yield step.value
  }
}

function breaking(
  transport: Transport,
  came: (message: unknown) => void,
  isBreak: (line: string) => boolean,
): Transport {
  return {
    incoming: watched(transport.incoming, came),
    send(line) {
      if (isBreak(line)) void transport.close()
      else transport.send(line)
    },
    get bufferedBytes() {
      return transport.bufferedBytes
    },
    drained: () => transport.drained(),
    close: () => transport.close(),
    closed: transport.closed,
    [Symbol.asyncDispose]: () => transport.close(),
  }
}
