import type { Socket } from 'node:net'
import { errorCode, errorMessage } from '@parley/text'
import { portOf, proxyFor, trustOf } from '../http/network.ts'
import type { ModelClient, ModelFailure } from '../port/model-client.ts'
import type { Env, Provider } from '../port/provider.ts'
import { connectTo, lookUp, secure, tunnelThrough } from './reach-host.ts'

/** Result of one step on the way to a model. */
export interface NetworkStep {
  readonly name: string
  readonly level: 'ok' | 'warning' | 'problem'
  readonly text: string
  /** Sentence on what to do about it. */
  readonly remedy?: string
}

interface NetworkCheck {
  readonly provider: Provider
  readonly client: ModelClient
  /** Model to ask for one token; null where no model is known. */
  readonly model: string | null
  readonly env: Env
  /** Limit of each step but the last: the model may think before it answers. */
  readonly stepMs?: number
}

const tokenMs = 60_000

/** Tries the steps of a request in turn (name, connection, TLS, key, one token) and ends at the first that fails. */
export async function checkNetwork(check: NetworkCheck): Promise<readonly NetworkStep[]> {
  const { provider, env, stepMs = 10_000 } = check
  if (provider.package !== undefined && provider.baseUrl === '')
    return [ok('address', `that of the package ${provider.package}`), await askForToken(check)]
  const url = URL.canParse(provider.baseUrl) ? new URL(provider.baseUrl) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    return [
      problem('address', `${provider.baseUrl} is not an http or https address`, `Correct base_url of ${provider.id}.`),
    ]
  const proxy = proxyFor(url, env, provider.network)
  const route = proxy === null ? 'directly' : `through the proxy ${proxy.host}`
  const steps = [ok('address', `${url.origin}, ${route}`), ...(await reach(url, proxy, { provider, stepMs }))]
  if (steps.some(({ level }) => level === 'problem')) return steps
  // The interface of packages has no list of models.
  if (provider.package !== undefined) return [...steps, await askForToken(check)]
  const listed = await askForList(check, stepMs)
  if (listed.level === 'problem') return [...steps, listed]
  return [...steps, listed, await askForToken(check)]
}

/** Looks the name up, connects and, for https, speaks TLS; ends at the first step that fails. */
async function reach(
  url: URL,
  proxy: URL | null,
  { provider, stepMs }: { readonly provider: Provider; readonly stepMs: number },
): Promise<readonly NetworkStep[]> {
  const first = proxy ?? url
  const limit = () => AbortSignal.timeout(stepMs)
  const steps: NetworkStep[] = []
  let socket: Socket | null = null
  const run = async (name: string, remedy: string, work: () => Promise<string>): Promise<boolean> => {
    const { text, failed } = await work().then(
      (text) => ({ text, failed: false }),
      (error: unknown) => ({ text: reasonOf(error), failed: true }),
    )
    steps.push(failed ? problem(name, text, remedy) : ok(name, text))
    return !failed
  }
  const isThere =
    (await run('name', nameRemedy(proxy), async () =>
      nameText(first.hostname, await lookUp(first.hostname, limit())),
    )) &&
    (await run('connection', connectionRemedy(proxy), async () => {
      socket = await connectTo({ host: first.hostname, port: Number(portOf(first)) }, limit())
      return `port ${portOf(first)} of ${first.hostname} accepts it`
    }))
  if (isThere && url.protocol === 'https:')
    await run('TLS', tlsRemedy, async () => {
      if (socket === null) return ''
      const trust = trustOf(provider.network)
      if (proxy?.protocol === 'https:') socket = await secure(socket, { host: proxy.hostname, trust, signal: limit() })
      if (proxy !== null)
        await tunnelThrough(socket, { host: url.hostname, port: Number(portOf(url)) }, { proxy, signal: limit() })
      const secured = await secure(socket, { host: url.hostname, trust, signal: limit() })
      socket = secured
      const { issuer, valid_to: until } = secured.getPeerCertificate()
      return `${secured.getProtocol()}, certificate by ${issuer.O ?? issuer.CN}, valid until ${until}`
    })
  closeQuietly(socket)
  return steps
}

function nameText(host: string, addresses: readonly string[]): string {
  return addresses[0] === host.replace(/^\[|\]$/g, '')
    ? 'an address, which needs no look-up'
    : `${host} is ${addresses.join(', ')}`
}

function closeQuietly(socket: Socket | null): void {
  socket?.on('error', () => undefined)
  socket?.destroy()
}

const tlsRemedy =
  'For a private authority or a proxy that reads TLS set ca_file in [network] to its file, or system_ca = true. Is base_url right?'

function nameRemedy(proxy: URL | null): string {
  return proxy === null
    ? 'Check base_url and the name server of this machine. If a proxy is needed here, set proxy in [network].'
    : 'Check the address of the proxy: proxy in [network], else HTTPS_PROXY.'
}

function connectionRemedy(proxy: URL | null): string {
  return proxy === null
    ? 'Is the server running, and the port of base_url right? A firewall may want a proxy: set proxy in [network].'
    : 'Check the address of the proxy, or name the host in no_proxy of [network] if it is reached without.'
}

async function askForList({ client }: NetworkCheck, stepMs: number): Promise<NetworkStep> {
  const name = 'key'
  const listing = await client.listModels(AbortSignal.timeout(stepMs))
  if (listing.type === 'models') return ok(name, `accepted; ${listing.models.length} models are listed`)
  if (listing.type === 'aborted') return { name, level: 'warning', text: 'the list of models did not come in time' }
  // Some gateways have no list: the request for a token tells if the key is right.
  if (listing.type === 'unlisted' || listing.failure.code === 'notFound')
    return { name, level: 'warning', text: 'it has no list of models to try the key on' }
  return failedStep(name, listing.failure)
}

async function askForToken({ client, model }: NetworkCheck): Promise<NetworkStep> {
  const name = 'one token'
  if (model === null)
    return { name, level: 'warning', text: 'no model to ask is known', remedy: 'Name one with -m MODEL.' }
  const enough = new AbortController()
  const signal = AbortSignal.any([enough.signal, AbortSignal.timeout(tokenMs)])
  const content = [{ type: 'text' as const, text: 'Answer with the word OK.' }]
  const request = {
    model,
    instructions: 'Be brief.',
    tools: [],
    entries: [{ kind: 'user' as const, content }],
    cacheKey: 'check',
  }
  const startedAt = performance.now()
  for await (const event of client.stream(request, signal)) {
    if (event.type === 'failed') return failedStep(name, event.failure)
    if (event.type === 'aborted')
      return problem(
        name,
        `${model} sent nothing within ${tokenMs / 1_000} s`,
        'Try again later, or another model with -m.',
      )
    enough.abort()
    return ok(name, `${model} began its answer after ${Math.round(performance.now() - startedAt)} ms`)
  }
  return problem(name, `${model} ended its answer without a word`, 'Try another model with -m.')
}

function failedStep(name: string, { message }: ModelFailure): NetworkStep {
  return { name, level: 'problem', text: message }
}

function ok(name: string, text: string): NetworkStep {
  return { name, level: 'ok', text }
}

function problem(name: string, text: string, remedy: string): NetworkStep {
  return { name, level: 'problem', text, remedy }
}

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'the name server does not answer',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the other side closed the connection',
  EHOSTUNREACH: 'there is no way to this host',
  ENETUNREACH: 'there is no way to this network',
  TIMEOUT: 'no answer in time',
}

function reasonOf(error: unknown): string {
  const code = errorCode(error) ?? ''
  const message = errorMessage(error)
  return reasons[code] === undefined ? `${message}${code === '' ? '' : ` (${code})`}` : `${reasons[code]} (${code})`
}
