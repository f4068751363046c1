import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from '@parley/text'

/** File or folder that parley made, as `parley uninstall` lists it. */
export interface OwnEntry {
  readonly path: string
  /** Words for its contents. */
  readonly about: string
  readonly sizeBytes: number
  /** Target of a link, which is not removed; null for anything else. */
  readonly link: string | null
}

/** Contents of a home: names of parley, and other names. */
export interface HomeContents {
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
export function homeContents(
  home: string,
  { keepConversations }: { readonly keepConversations: boolean },
): HomeContents {
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
export function fetchedNodes(cache: string): readonly OwnEntry[] {
  if (lstatSync(cache, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  const folders = namesIn(cache).map((name) => join(cache, name))
  return folders.filter(isFetchedNode).map((path) => entryAt(path, 'Node that the package fetched'))
}

function isFetchedNode(folder: string): boolean {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return isRecord(manifest) && manifest['name'] === 'parley-node'
  } catch {
    return false
  }
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
