import { ClientError, type Parley } from '@parley/client'
import { showEffects } from '@parley/presentation/text/control-characters'
import type { LoginCompleted, ResultOf } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { closest, columnLines, type ProgramByName } from '@parley/text'
import { connect } from '../cli/connect.ts'
import { exitCodeOf, exitCodes, misused } from '../cli/exit-codes.ts'
import { type EnvVariables, workingFolder } from '../cli/folders.ts'
import { hideInReports } from '../cli/hide-secrets.ts'
import type { Launch } from '../cli/launch-server.ts'
import { loggedOutText, mcpLoggedOutText } from '../cli/messages.ts'
import { jsonLines, shownLines } from '../cli/output-lines.ts'
import { readKey } from '../cli/read-key.ts'
import { startProgram } from '../processes/start-program.ts'

export interface LoginFlags {
  readonly oauth?: boolean
  readonly device?: boolean
}

/** Runs `parley login`: reads a key, or sends the user to a browser. The server tries the key or login and keeps it. */
export async function runLogin(launch: Launch, named: string | null, flags: LoginFlags): Promise<number> {
  const ends = createLoginEnds()
  await using parley = await connect(launch, { clientName: 'parley-login', onLoginCompleted: ends.put })
  const provider = named === null ? await usualProvider(parley) : await knownProvider(parley, named)
  const isOAuth = flags.oauth === true || flags.device === true
  const { loginId } = isOAuth
    ? await startOAuth(parley, provider, { env: launch.env, device: flags.device === true })
    : await startWithKey(parley, provider)
  const end = await Promise.race([ends.endOf(loginId), parley.closed.then(lostConnection)])
  return printEnd(end, { name: provider, kind: isOAuth ? 'oauth' : 'key' })
}

/** Prints how a login ended. Returns the exit code. */
function printEnd(
  end: LoginCompleted,
  { name, kind }: { readonly name: string; readonly kind: 'key' | 'oauth' },
): number {
  if (!end.success) {
    process.stderr.write(`parley: ${showEffects(end.error ?? 'The login failed.')}\n`)
    return exitCodeOf(end.code ?? 'internal')
  }
  process.stdout.write(showEffects(`Logged in to ${name}. ${placeText({ ...end, kind })}\n`))
  return exitCodes.ok
}

type LoginStart = ResultOf<'login/start'>

async function startWithKey(parley: Parley, provider: string): Promise<LoginStart> {
  // Rejects an unknown provider before a key is asked for; nothing is sent to it.
  await parley.request('model/list', { provider, kept: true })
  const key = await readKey(`Key for ${showEffects(provider)} (not shown while you type): `, process)
  return parley.request('login/start', { provider, key })
}

/** Begins a login by OAuth and prints where to go. Without a desktop the login is by code, if the issuer has such a login. */
async function startOAuth(
  parley: Parley,
  provider: string,
  { env, device }: { readonly env: Launch['env']; readonly device: boolean },
): Promise<LoginStart> {
  const start = (flow: 'browser' | 'device') => parley.request('login/start', { provider, flow })
  const isFar = device || !hasDesktop(env)
  const started = await (isFar ? start('device') : start('browser')).catch((error: unknown) => {
    if (device || !isFar || !(error instanceof RpcError)) throw error
    return start('browser')
  })
  printAddress(started, env)
  return started
}

/** Prints the address, and the code to type there; opens a browser for a login without a code. */
function printAddress({ url = '', userCode }: Pick<LoginStart, 'url' | 'userCode'>, env: Launch['env']): void {
  const asked =
    userCode === undefined ? 'Log in with your browser' : `Log in with any browser, and type the code ${userCode}`
  process.stderr.write(showEffects(`${asked}:\n  ${url}\nWaiting for that, 10 minutes at most. Ctrl+C gives up.\n`))
  if (userCode === undefined && hasDesktop(env)) openBrowser(url, env)
}

/** Resolves to the name of a provider. Throws for an unknown name without repeating it: it may be a key, and errors get into logs. */
async function knownProvider(parley: Parley, named: string): Promise<string> {
  const { providers } = await parley.request('provider/list', {})
  const { logins } = await parley.request('login/status', {})
  const names = [...providers.map(({ id }) => id), ...logins.map(({ provider }) => provider)]
  if (names.includes(named)) return named
  hideInReports(named)
  const meant = closest(named, names)
  const hint = meant === null ? '`parley provider list` shows them.' : `Did you mean "${meant}"?`
  throw misused(
    `There is no provider of that name. ${hint} If it was a key, it now stands in the history of your shell: parley takes keys typed unseen or from stdin.`,
  )
}

/** Resolves to the provider of the configuration, by default openai. */
async function usualProvider(parley: Parley): Promise<string> {
  const { values } = await parley.request('config/read', { cwd: workingFolder() })
  const chosen = values.find(({ key, origin }) => key === 'model_provider' && !origin.startsWith('default'))?.value
  return typeof chosen === 'string' ? chosen : 'openai'
}

function lostConnection(reason: ClientError | null): never {
  throw reason ?? new ClientError('closed', 'The connection was closed.')
}

const places = { keyring: 'the keyring', file: '$PARLEY_HOME/credentials.json, which only you can read' } as const

function placeText({
  keptIn,
  variable,
  kind = 'key',
}: Pick<LoginCompleted, 'keptIn' | 'variable'> & { readonly kind?: 'key' | 'oauth' }): string {
  const kept = keptIn === null ? '' : `The ${kind === 'oauth' ? 'login' : 'key'} is in ${places[keptIn]}.`
  return variable === null ? kept : `${kept} ${variable} is set and is used in its place.`
}

interface LoginEnds {
  readonly put: (end: LoginCompleted) => void
  endOf(loginId: string): Promise<LoginCompleted>
}

/** Keeps the ends of logins until they are awaited: an end may arrive before its id is known here. */
function createLoginEnds(): LoginEnds {
  const ends = new Map<string, PromiseWithResolvers<LoginCompleted>>()
  const of = (loginId: string) => {
    const known = ends.get(loginId) ?? Promise.withResolvers<LoginCompleted>()
    ends.set(loginId, known)
    return known
  }
  return { put: (end) => of(end.loginId).resolve(end), endOf: (loginId) => of(loginId).promise }
}

/** Runs `parley login status`: one provider per line. Exit code 3 when there is no key. */
export async function showLogins(launch: Launch, { json }: { readonly json?: boolean }): Promise<number> {
  await using parley = await connect(launch, { clientName: 'parley-login' })
  const { logins } = await parley.request('login/status', {})
  process.stdout.write(json === true ? jsonLines(logins) : shownLines(statusLines(logins)))
  if (logins.length > 0) return exitCodes.ok
  process.stderr.write('parley: No key is kept or set. `parley login PROVIDER` keeps one.\n')
  return exitCodes.noCredentials
}

function statusLines(logins: ResultOf<'login/status'>['logins']): readonly string[] {
  const sourceOf = (login: (typeof logins)[number]) =>
    login.keptIn === null ? `The key comes from ${login.variable}.` : placeText(login)
  return columnLines(logins.map((login) => [login.provider, sourceOf(login)]))
}

/** Runs `parley logout`. Exit code 5 when no key of the provider is kept. */
export async function runLogout(launch: Launch, named: string | null): Promise<number> {
  await using parley = await connect(launch, { clientName: 'parley-login' })
  const provider = named === null ? await onlyLogin(parley) : await knownProvider(parley, named)
  const result = await parley.request('logout', { provider })
  const text = showEffects(loggedOutText(provider, result))
  if (result.removed) process.stdout.write(`${text}\n`)
  else process.stderr.write(`parley: ${text}\n`)
  return result.removed ? exitCodes.ok : exitCodeOf('itemNotFound')
}

async function onlyLogin(parley: Parley): Promise<string> {
  const { logins } = await parley.request('login/status', {})
  const kept = logins.filter(({ keptIn }) => keptIn !== null).map(({ provider }) => provider)
  const [only, ...others] = kept
  if (only === undefined) throw misused('No key is kept, so there is nothing to forget.')
  if (others.length > 0) throw misused(`Several keys are kept. Name one: ${kept.join(', ')}.`)
  return only
}

/** Runs `parley mcp login`: sends the user to a browser, and waits for the server's answer. */
export async function logInToMcpServer(launch: Launch, name: string): Promise<number> {
  const ends = createLoginEnds()
  await using parley = await connect(launch, { clientName: 'parley-login', onLoginCompleted: ends.put })
  const { loginId, url } = await parley.request('mcp/login', { name })
  printAddress({ url }, launch.env)
  const end = await Promise.race([ends.endOf(loginId), parley.closed.then(lostConnection)])
  return printEnd(end, { name, kind: 'oauth' })
}

/** Runs `parley mcp logout`. Exit code 5 when no login is kept. */
export async function logOutOfMcpServer(launch: Launch, name: string): Promise<number> {
  await using parley = await connect(launch, { clientName: 'parley-login' })
  const end = await parley.request('mcp/logout', { name })
  if (end.removed) process.stdout.write(showEffects(`${mcpLoggedOutText(name, end)}\n`))
  else process.stderr.write(showEffects(`parley: No login to ${name} is kept.\n`))
  return end.removed ? exitCodes.ok : exitCodeOf('itemNotFound')
}

/** Returns false where no browser can open: in an ssh session, and on Linux without a display. */
function hasDesktop(env: EnvVariables, platform: NodeJS.Platform = process.platform): boolean {
  if ((env['SSH_CONNECTION'] ?? '') !== '') return false
  return platform === 'darwin' || [env['DISPLAY'], env['WAYLAND_DISPLAY']].some((display) => (display ?? '') !== '')
}

/** Opens a web address in the user's browser. Does nothing without a browser: the address is on the screen. */
export function openBrowser(url: string, env: EnvVariables): void {
  // An issuer names the address, and the desktop would start other programs for other schemes.
  if (!/^https?:\/\//i.test(url)) return
  const program: ProgramByName = process.platform === 'darwin' ? 'open' : 'xdg-open'
  startProgram([program, url], { cwd: '/', env, detached: true, stdio: 'ignore' }, () => undefined)?.unref()
}
