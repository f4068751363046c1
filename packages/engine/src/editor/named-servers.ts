import { printable } from '@parley/config'
import type { EditorServer } from '../ports/editor.ts'

/** Most servers of a session: each is a question and a program. */
const mostServers = 32
/** Longest command with its arguments and variables, in characters. */
const longestLaunch = 64 * 1024
const longestName = 64

interface Named {
  /** Servers under names that fit into the names of tools, none twice. */
  readonly named: readonly EditorServer[]
  /** Sentences about the others. */
  readonly problems: readonly string[]
}

/** Names the servers of an editor. Those that cannot be started are left out, with the reason. */
export function namedServers(servers: readonly EditorServer[], configured: ReadonlySet<string>): Named {
  const named = new Map<string, EditorServer>()
  const problems: string[] = []
  for (const server of servers) {
    const name = fittingName(server.name)
    const problem = named.size >= mostServers ? `a session has ${mostServers} at most` : problemOf(server, name)
    const isTaken = named.has(name) ? 'another one has this name' : null
    const isOwn = configured.has(name) ? 'a server of config.toml has this name' : null
    const why = problem ?? isOwn ?? isTaken
    if (why === null) named.set(name, { ...server, name })
    else problems.push(`${printable(server.name) || 'a server without a name'}: ${why}.`)
  }
  return { named: [...named.values()], problems }
}

/** Returns a name in the form that those of a project's servers have. */
function fittingName(name: string): string {
  return name
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/^[-_]+|-+$/g, '')
    .slice(0, longestName)
}

function problemOf({ command, args, env }: EditorServer, name: string): string | null {
  if (name === '') return 'its name has no letter or digit'
  if (command === '') return 'it has no command'
  const texts = [command, ...args, ...Object.entries(env).flat()]
  if (texts.some((text) => text.includes('\0'))) return 'its command holds a NUL byte'
  if (texts.reduce((length, text) => length + text.length, 0) > longestLaunch) return 'its command is too long'
  return Object.keys(env).every((variable) => /^[^=]+$/.test(variable)) ? null : 'one of its variables has no name'
}
