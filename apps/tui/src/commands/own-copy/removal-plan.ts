import { lstatSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { countOf, formatBytes, shortPath } from '@parley/presentation/text/formats'
import { columnLines, isRecord } from '@parley/text'
import { misused } from '../../cli/exit-codes.ts'
import { realOrGiven, userFolder } from '../../cli/folders.ts'
import type { Launch } from '../../cli/launch-server.ts'
import { fetchedNodes, type HomeContents, homeContents, type OwnEntry } from './home-contents.ts'
import type { RunningServer } from './running-servers.ts'

/** Plan of a removal: everything to remove, and the servers that prevent it. */
export interface RemovalPlan extends HomeContents {
  readonly home: string
  readonly nodes: readonly OwnEntry[]
  /** Names of kept credentials: `provider/NAME` and `mcp/NAME`. */
  readonly logins: readonly string[]
  readonly servers: readonly RunningServer[]
}

/** Plans a removal; changes nothing. */
export function planRemoval(
  { home, env }: Pick<Launch, 'home' | 'env'>,
  { servers, keepConversations }: { readonly servers: readonly RunningServer[]; readonly keepConversations: boolean },
): RemovalPlan {
  const cache = join(env['XDG_CACHE_HOME'] || join(userFolder(env), '.cache'), 'parley')
  return {
    home,
    ...homeContents(home, { keepConversations }),
    nodes: fetchedNodes(cache),
    logins: loginsOf(home),
    servers,
  }
}

/** Throws for a home that holds the user's home or belongs to another user: its `logs` would not be parley's. */
export function assertRemovable(home: string, userHome: string): void {
  const [real, own] = [home, userHome].map(realOrGiven)
  if (real === undefined || own === undefined) return
  const holdsHome = own === real || own.startsWith(real === sep ? sep : real + sep)
  if (holdsHome)
    throw misused(`PARLEY_HOME (${home}) holds your home, so what is in it is not only parley's. Nothing was removed.`)
  const { uid } = lstatSync(real)
  if (uid !== process.getuid?.()) throw misused(`${home} belongs to another user. Nothing was removed.`)
}

/** Returns the names of kept credentials, first the ones of the keyring, which may be locked. Empty if the file cannot be read. */
function loginsOf(home: string): readonly string[] {
  try {
    const kept: unknown = JSON.parse(readFileSync(join(home, 'credentials.json'), 'utf8'))
    const entries = isRecord(kept) ? kept['entries'] : {}
    const named = Object.entries(Object(entries)).filter(([name]) => /^(?:provider|mcp)\/./.test(name))
    const inFile = ([, entry]: [string, unknown]) => Number(Object(entry).keptIn !== 'keyring')
    return named.toSorted((one, other) => inFile(one) - inFile(other)).map(([name]) => name)
  } catch {
    return []
  }
}

export function planLines(
  { home, own, kept, nodes, logins, servers }: RemovalPlan,
  env: Launch['env'],
): readonly string[] {
  const shown = (path: string) => shortPath(path, userFolder(env))
  const entries = [...own, ...nodes]
  if (entries.length === 0) return [`parley keeps nothing in ${shown(home)}.`]
  const total = entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const rows = [
    ...entries.map(({ path, about, sizeBytes, link }) => {
      const target = link === null ? '' : ` (a link; ${link} stays)`
      return [formatBytes(sizeBytes), shown(path), `${about}${target}`] as const
    }),
    ...logins.map((name) => ['', name, 'key or login, where it is kept and at its issuer'] as const),
  ]
  const stays = kept.map((name) => shown(join(home, name)))
  return [
    'parley uninstall removes:',
    ...columnLines(rows, [0]).map((line) => `  ${line}`),
    `  ${formatBytes(total)} in all.`,
    ...(stays.length === 0 ? [] : [`These stay: ${stays.join(', ')}.`]),
    ...servers.map(serverLine),
  ]
}

function serverLine({ pid, clients, conversations }: RunningServer): string {
  const who = clients.length === 0 ? 'nobody is connected' : `connected: ${clients.join(', ')}`
  return `A server runs here: process ${pid}, ${countOf(conversations, 'conversation')} open, ${who}.`
}
