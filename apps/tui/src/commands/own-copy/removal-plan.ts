import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join, sep } from 'node:path'
import { countOf, formatBytes, shortPath } from '@parley/presentation/text/formats'
import { columnLines, isRecord, orNull, parseRecord } from '@parley/text'
import { misused } from '../../cli/exit-codes.ts'
import { realOrGiven, userFolder } from '../../cli/folders.ts'
import type { Launch } from '../../cli/launch-server.ts'
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

/** File or folder that parley made, as `parley uninstall` lists it. */
interface OwnEntry {
  readonly path: string
  /** Words for its contents. */
  readonly about: string
  readonly sizeBytes: number
  /** Target of a link, which is not removed; null for anything else. */
  readonly link: string | null
}

/** Contents of a home: names of parley, and other names. */
interface HomeContents {
  readonly own: readonly OwnEntry[]
  readonly kept: readonly string[]
}

/** Names in a home that parley makes, with words for their contents. */
const madeByParley: Readonly<Record<string, string>> = {
  'config.toml': 'settings',
  'policy.toml': 'rules',
  'credentials.json': 'keys and logins',
  'credentials.lock': 'lock of keys and logins',
  'redaction.key': 'key of seals and of marks for secrets',
  'prompts.jsonl': 'what you typed',
  sessions: 'conversations',
  snapshots: 'contents of files, for rewind',
  trust: 'projects that you trust or not',
  providers: 'provider packages',
  models: 'lists of models',
  logs: 'logs of servers and tool servers',
  cache: 'what is known of this machine',
  scratch: 'temporary files of commands',
  'server-token': 'token of the server',
  'mcp-token': 'token of the MCP server',
  'app-server-token': 'token of the app-server',
  'exec-server-token': 'token of the exec-server',
}

/** Names that conversations need: without the key of the home, the grants of their users do not count. */
const ofConversations: readonly string[] = ['sessions', 'snapshots', 'redaction.key']

/** Lists a home. With `keepConversations` the names that conversations need are kept. Links are not followed. */
function homeContents(home: string, { keepConversations }: { readonly keepConversations: boolean }): HomeContents {
  const names = namesIn(home).sort()
  const isOwn = (name: string) => aboutOf(name) !== null && !(keepConversations && ofConversations.includes(name))
  return {
    own: names.filter(isOwn).map((name) => entryAt(join(home, name), aboutOf(name) ?? '')),
    kept: names.filter((name) => !isOwn(name)),
  }
}

/** Returns words for a name that parley makes, also for the rest of a killed write; null for any other name. */
function aboutOf(name: string): string | null {
  const torn = /^(.+?\.(?:toml|json|jsonl|key))\..+\.tmp$/.exec(name)?.[1]
  if (torn !== undefined && Object.hasOwn(madeByParley, torn)) return `rest of a write of ${torn}`
  return Object.hasOwn(madeByParley, name) ? (madeByParley[name] ?? null) : null
}

/** Lists Nodes that the package's launcher has fetched: folders of the cache with the launcher's manifest. */
function fetchedNodes(cache: string): readonly OwnEntry[] {
  if (lstatSync(cache, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  const folders = namesIn(cache).map((name) => join(cache, name))
  return folders.filter(isFetchedNode).map((path) => entryAt(path, 'Node that the package fetched'))
}

function isFetchedNode(folder: string): boolean {
  const manifest = orNull(() => parseRecord(readFileSync(join(folder, 'package.json'), 'utf8')))
  return manifest?.['name'] === 'parley-node'
}

function entryAt(path: string, about: string): OwnEntry {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  return { path, about, sizeBytes: sizeOf(path), link: isLink ? readlinkSync(path) : null }
}

/** Adds up the sizes of files, in bytes, without following links. */
function sizeOf(path: string): number {
  const facts = lstatSync(path, { throwIfNoEntry: false })
  if (facts === undefined) return 0
  if (!facts.isDirectory()) return facts.size
  return namesIn(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}

/** Returns the names in a folder; empty if it is missing or cannot be read. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
