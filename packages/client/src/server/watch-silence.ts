import { protocolVersions } from '@parley/protocol'
import type { Client } from '../connection/client.ts'

const tickMs = 500
const silentTicks = 5

/** Silence after which a server counts as stopped. */
export const silenceLimitMs = tickMs * silentTicks

/** Resolves `stopped` when the server has answered nothing at all for the limit. */
interface Silence extends Disposable {
  readonly stopped: Promise<'stopped'>
}

/** Pings a server repeatedly. Counts silence in ticks: a pause of this process, however long, counts as one tick. */
export function watchSilence(client: Client): Silence {
  const { promise: stopped, resolve } = Promise.withResolvers<'stopped'>()
  let ticks = 0
  let isAsked = false
  const hear = () => {
    ticks = 0
    isAsked = false
  }
  const timer = setInterval(() => {
    ticks += 1
    if (ticks === silentTicks) resolve('stopped')
    if (isAsked) return
    isAsked = true
    void ping(client).then(hear, hear)
  }, tickMs)
  return { stopped, [Symbol.dispose]: () => clearInterval(timer) }
}

/** Sends a second greeting, which a server rejects at once, whatever it waits for. */
function ping({ request, introduction: { clientInfo } }: Client): Promise<unknown> {
  return request('initialize', { protocolVersion: protocolVersions, clientInfo: { ...clientInfo }, capabilities: [] })
}
