import { ClientError, type Parley } from '@parley/client'
import type { LoginCompleted, ResultOf } from '@parley/protocol'
import { connect } from '../cli/connect.ts'
import { exitCodeOf, exitCodes, misused } from '../cli/exit-codes.ts'
import { workingFolder } from '../cli/folders.ts'
import type { Launch } from '../cli/launch-server.ts'
import { readKey } from '../cli/read-key.ts'
import { showEffects } from '../view/text/control-characters.ts'

/** Runs `parley login`: reads a key, which the server tries and keeps. */
export async function runLogin(launch: Launch, named: string | null): Promise<number> {
  const ends = createMailbox()
  await using parley = await connect(launch, { clientName: 'parley-login', onLoginCompleted: ends.put })
  const provider = named ?? (await usualProvider(parley))
  const key = await readKey(`Key for ${showEffects(provider)} (not shown while you type): `, process)
  const { loginId } = await parley.request('login/start', { provider, key })
  const end = await Promise.race([ends.endOf(loginId), parley.closed.then(lostConnection)])
  if (!end.success) {
    process.stderr.write(`parley: ${showEffects(end.error ?? 'The login failed.')}\n`)
    return exitCodeOf(end.code ?? 'internal')
  }
  process.stdout.write(showEffects(`Logged in to ${provider}. ${placeText(end)}\n`))
  return exitCodes.ok
}

/** Resolves to the provider of the configuration; openai where it names none. */
async function usualProvider(parley: Parley): Promise<string> {
  const { values } = await parley.request('config/read', { cwd: workingFolder() })
  const chosen = values.find(({ key, origin }) => key === 'model_provider' && !origin.startsWith('default'))?.value
  return typeof chosen === 'string' ? chosen : 'openai'
}

function lostConnection(reason: ClientError | null): never {
  throw reason ?? new ClientError('closed', 'The connection was closed.')
}

const places = { keyring: 'the keyring', file: '$PARLEY_HOME/credentials.json, which only you can read' } as const

function placeText({ keptIn, variable }: Pick<LoginCompleted, 'keptIn' | 'variable'>): string {
  const kept = keptIn === null ? '' : `The key is in ${places[keptIn]}.`
  return variable === null ? kept : `${kept} ${variable} is set and is used in its place.`
}

interface Mailbox {
  readonly put: (end: LoginCompleted) => void
  endOf(loginId: string): Promise<LoginCompleted>
}

/** Keeps the ends of logins until they are asked for: one may come before its id is known here. */
function createMailbox(): Mailbox {
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
  const lines = json === true ? logins.map((login) => JSON.stringify(login)) : statusLines(logins)
  process.stdout.write(lines.map((line) => `${json === true ? line : showEffects(line)}\n`).join(''))
  if (logins.length > 0) return exitCodes.ok
  process.stderr.write('parley: No key is kept or set. `parley login PROVIDER` keeps one.\n')
  return exitCodes.noCredentials
}

function statusLines(logins: ResultOf<'login/status'>['logins']): readonly string[] {
  const width = Math.max(0, ...logins.map(({ provider }) => provider.length))
  return logins.map((login) => {
    const source = login.keptIn === null ? `The key comes from ${login.variable}.` : placeText(login)
    return `${login.provider.padEnd(width)}  ${source}`
  })
}

/** Runs `parley logout`. Exit code 5 when no key of the provider is kept. */
export async function runLogout(launch: Launch, named: string | null): Promise<number> {
  await using parley = await connect(launch, { clientName: 'parley-login' })
  const provider = named ?? (await onlyLogin(parley))
  const { removed, variable } = await parley.request('logout', { provider })
  const more = variable === null ? '' : ` ${variable} is set and goes on to be used.`
  if (!removed) {
    process.stderr.write(showEffects(`parley: No key of ${provider} is kept.${more}\n`))
    return exitCodeOf('itemNotFound')
  }
  process.stdout.write(
    showEffects(
      `The key of ${provider} is forgotten here. To end its use elsewhere, revoke it at the provider.${more}\n`,
    ),
  )
  return exitCodes.ok
}

async function onlyLogin(parley: Parley): Promise<string> {
  const { logins } = await parley.request('login/status', {})
  const kept = logins.filter(({ keptIn }) => keptIn !== null).map(({ provider }) => provider)
  const [only, ...others] = kept
  if (only === undefined) throw misused('No key is kept, so there is nothing to forget.')
  if (others.length > 0) throw misused(`Several keys are kept. Name one: ${kept.join(', ')}.`)
  return only
}
