import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from '@parley/text'

/** File or folder that parley made, as `parley uninstall` lists it. */
export interface OwnEntry {
  readonly path: string
  /** Words for what is in it. */
  readonly about: string
  readonly sizeBytes: number
  /** Path that a link leads to, which stays; null for anything else. */
  readonly link: string | null
}

/** Contents of a home: parley's own, and names that it does not make. */
export interface HomeContents {
  readonly own: readonly OwnEntry[]
  readonly kept: readonly string[]
}

/** Names in a home that parley makes, with words for what is in them. */
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

/** Names that conversations need: without the key of the home, what people gave them does not count. */
const ofConversations: readonly string[] = ['sessions', 'snapshots', 'redaction.key']

/** Lists a home. With `keepConversations` what they need is among the names that stay. Links are not followed. */
export function homeContents(
  home: string,
  { keepConversations }: { readonly keepConversations: boolean },
): HomeContents {
  const names = listed(home).sort()
  const isOwn = (name: string) => aboutOf(name) !== null && !(keepConversations && ofConversations.includes(name))
  return {
    own: names.filter(isOwn).map((name) => entryAt(join(home, name), aboutOf(name) ?? '')),
    kept: names.filter((name) => !isOwn(name)),
  }
}

/** Returns words for a name that parley makes, files that a killed write left included; null for any other. */
function aboutOf(name: string): string | null {
  const torn = /^(.+?\.(?:toml|json|jsonl|key))\..+\.tmp$/.exec(name)?.[1]
  if (torn !== undefined && Object.hasOwn(madeByParley, torn)) return `rest of a write of ${torn}`
  return Object.hasOwn(madeByParley, name) ? (madeByParley[name] ?? null) : null
}

/** Lists the Nodes that the package's launcher has fetched: folders of the cache with the manifest that it puts there. */
export function fetchedNodes(cache: string): readonly OwnEntry[] {
  if (lstatSync(cache, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  const folders = listed(cache).map((name) => join(cache, name))
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
  return listed(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}

/** Returns the names in a folder; none where it is missing or cannot be read. */
function listed(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
