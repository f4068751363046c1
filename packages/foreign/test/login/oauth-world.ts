import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import {
  type CliOptions,
  type CliRun,
  type ModelServer,
  type ScriptedStep,
  startCli,
  startModelServer,
  tempHome,
  tempWorkspace,
  waitUntil,
} from '@parley/testkit'
import Provider, { type Configuration } from 'oidc-provider'

/** Answer of the token endpoint in place of its own; `never` leaves requests open. */
type Trouble = { readonly status: number; readonly body: string } | 'never' | null

export interface OAuthWorld extends AsyncDisposable {
  readonly provider: Provider
  /** Lets the token endpoint fail from now on; null ends that. Returns the number of requests that it had so far. */
  troubleTokens(trouble: Trouble): number
  readonly model: ModelServer
  /** A model that wants no token. */
  readonly free: ModelServer
  readonly home: string
  readonly credentials: string
  start(argv: readonly string[], options?: CliOptions): CliRun
  /** Resolves to the address, and the code, that a login prints. */
  asked(run: CliRun): Promise<{ readonly url: string; readonly code: string }>
}

/** An OAuth server that everybody may log in to, a model that takes its tokens, and a home that names both. */
export async function oauthWorld(steps: readonly ScriptedStep[] = [], ttlSeconds = 3600): Promise<OAuthWorld> {
  await using stack = new AsyncDisposableStack()
  const issuer = await startProvider(ttlSeconds, stack)
  const { provider } = issuer
  const accepts = async (token: string | null) => (await provider.AccessToken.find(token ?? ''))?.isValid === true
  const model = stack.use(await startModelServer(steps, { accepts }))
  const free = stack.use(await startModelServer())
  const home = stack.use(await tempHome())
  const folder = stack.use(await tempWorkspace())
  const config = `
model = "scripted"
model_provider = "gate"
[model_providers.gate]
name = "Gate"
base_url = "${model.url}"
wire_api = "responses"
oauth = { issuer = "${provider.issuer}", client_id = "parley-test", scopes = ["openid", "offline_access"] }
`
  await writeFile(join(home.env.PARLEY_HOME, 'config.toml'), config)
  const owned = stack.move()
  // This PATH has no browser, and the tests need no browser.
  const env = { ...home.env, DISPLAY: ':99', PATH: '/nowhere' }
  return {
    provider,
    troubleTokens: issuer.trouble,
    model,
    free,
    home: home.path,
    credentials: join(home.env.PARLEY_HOME, 'credentials.json'),
    start: (argv, options) => startCli(argv, { env, cwd: folder.path, keepStdinOpen: true, ...options }),
    async asked(run) {
      const text = await waitUntil(() => (/Waiting|^parley:/m.test(run.stderr()) ? run.stderr() : null), {
        what: 'the address of the login',
      })
      return { url: /^ {2}(http\S+)$/m.exec(text)?.[1] ?? '', code: /the code (\S+):/.exec(text)?.[1] ?? '' }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const accountId = 'ada'

async function startProvider(ttlSeconds: number, stack: AsyncDisposableStack) {
  let trouble: Trouble = null
  let asked = 0
  const server = createServer((request, response) => {
    if (request.url === '/token') {
      asked += 1
      if (trouble === 'never') return
      if (trouble !== null) return void response.writeHead(trouble.status).end(trouble.body)
    }
    const answer = request.url?.startsWith('/interaction/') ? finish : provider.callback()
    Promise.resolve(answer(request, response)).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const provider = new Provider(issuer, configuration(ttlSeconds))
  stack.defer(() => {
    server.close()
    server.closeAllConnections()
  })

  /** Logs in, and agrees to the requested rights. */
  const finish: ReturnType<Provider['callback']> = async (request, response) => {
    const { prompt, params } = await provider.interactionDetails(request, response)
    if (prompt.name === 'login') return provider.interactionFinished(request, response, { login: { accountId } })
    const grant = new provider.Grant({ accountId, clientId: String(params['client_id']) })
    const { resource } = params
    grant.addOIDCScope(String(params['scope']))
    if (typeof resource === 'string') grant.addResourceScope(resource, String(params['scope']))
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
  }
  return {
    provider,
    trouble(next: Trouble) {
      trouble = next
      return asked
    },
  }
}

function configuration(ttlSeconds: number): Configuration {
  return {
    clients: [
      {
        client_id: 'parley-test',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
        redirect_uris: ['http://127.0.0.1/callback'],
        response_types: ['code'],
      },
    ],
    features: {
      deviceFlow: { enabled: true },
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({ scope: 'mcp:tools', accessTokenFormat: 'opaque', accessTokenTTL: ttlSeconds }),
        useGrantedResource: () => true,
      },
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    scopes: ['openid', 'offline_access', 'mcp:tools'],
    pkce: { required: () => true },
    // A token that is used twice ends the whole login.
    rotateRefreshToken: true,
    issueRefreshToken: () => Promise.resolve(true),
    ttl: { AccessToken: ttlSeconds },
    cookies: { keys: ['test'] },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  }
}

/** A browser without scripts: keeps cookies, follows redirects, fills in forms. */
export class Browser {
  readonly #cookies = new Map<string, string>()

  /** Resolves to status and text of the page where the redirects end. */
  async open(
    url: string,
    form?: Readonly<Record<string, string>>,
  ): Promise<{ status: number; text: string; url: string }> {
    let at = url
    let body = form === undefined ? null : new URLSearchParams(form)
    for (;;) {
      const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await fetch(at, {
        method: body === null ? 'GET' : 'POST',
        redirect: 'manual',
        headers: { cookie },
        ...(body === null ? {} : { body }),
      })
      for (const line of response.headers.getSetCookie()) this.#keep(line)
      const next = response.headers.get('location')
      if (next === null) return { status: response.status, text: await response.text(), url: at }
      at = new URL(next, at).href
      body = null
    }
  }

  #keep(line: string): void {
    const [pair = ''] = line.split(';')
    const end = pair.indexOf('=')
    this.#cookies.set(pair.slice(0, end), pair.slice(end + 1))
  }
}

/** Types the code of a device login into its pages. */
export async function typeCode(url: string, userCode: string): Promise<string> {
  const browser = new Browser()
  const hidden = (text: string) => /name="xsrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
  const first = await browser.open(url)
  const second = await browser.open(url, { xsrf: hidden(first.text), user_code: userCode })
  const last = await browser.open(url, { xsrf: hidden(second.text), user_code: userCode, confirm: 'yes' })
  return last.text
}
