import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { adjusted } from './adjusted.ts'

/** `ask-unless-known-safe`: approval policy `untrusted`. `on-request`: commands are shown because they ask to leave the sandbox. */
export type Mode = 'read-only' | 'workspace-write' | 'ask-unless-known-safe' | 'on-request'

export interface Setup {
  readonly mkdir?: string
  readonly symlink?: string
  readonly to?: string
  readonly worktree?: boolean
  readonly git_init?: string
  readonly git_config?: readonly [string, string]
  readonly file?: string
  readonly content?: string
  readonly exe?: string
  readonly script?: string
  readonly chmod?: string
  readonly mode?: string
  readonly hard_link?: string
  readonly move?: string
  readonly remove?: string
  readonly fifo?: string
  readonly replace_with_link?: string
  /** The workspace becomes a bare repository. */
  readonly bare?: boolean
}

export interface Check {
  readonly absent?: string
  readonly unchanged?: string
  readonly present?: string
  readonly no_contact?: 'tcp' | 'udp' | 'unix' | 'abstract'
  readonly not_in_output?: string
  readonly output_lacks_regex?: string
  readonly output_has_regex?: string
  readonly told_model_regex?: string
  readonly told_model_lacks_regex?: string
  /** States that no part of it began without a question. */
  readonly not_unasked?: true
  readonly enforcement_unchanged?: true
  readonly terminal_lacks_regex?: string
  readonly display_separates?: string
  readonly output_bytes_max?: number
  readonly decision?: 'ask' | 'deny' | 'allow'
  readonly modes?: readonly Mode[]
  readonly display_has?: string
  readonly display_has_regex?: string
  readonly display_lacks_regex?: string
  readonly absent_ci?: string
  readonly absent_from_command?: string
  readonly gone?: 'descendants'
  readonly server_alive?: true
  readonly probe?: 'blocked'
  readonly returns_within_ms?: number
  readonly rss_growth_mb_max?: number
  readonly log_complete?: true
  readonly error?: true
  readonly interrupt_stops_all?: true
}

export interface Input {
  readonly kind: string
  readonly command?: string
  readonly cwd?: string
  readonly tool?: string
  readonly args?: unknown
  readonly raw_tool_args?: string
  readonly repeat?: number
  readonly text?: string
  readonly patch?: string
  readonly lines?: readonly string[]
  readonly setup?: readonly Setup[]
  readonly after?: string
  readonly classify_only?: boolean
  /** Further steps of the model, in the same conversation. */
  readonly then_commands?: readonly string[]
  readonly then_calls?: readonly { readonly tool: string; readonly args: unknown }[]
  readonly add_dirs?: readonly string[]
  /** Answer to an approval, once nothing has happened before it; a yes only where a sandbox holds. Default: no. */
  readonly answer?: 'approved' | 'approvedForSession' | 'denied'
}

export interface AttackCase {
  readonly id: string
  readonly name: string
  readonly category: string
  readonly modes: readonly Mode[]
  readonly input: Input
  readonly expected: string
  readonly checks: readonly Check[]
  readonly source?: string
  /** Behaviour of our design instead, and the reason. */
  readonly differs?: string
  /** Reason why it is not prevented; docs/security.md has the same words. */
  readonly accepted?: string
  /** Told in code, in `scenarios/`: it is about how programs are started and files lie, not about one command. */
  readonly scenario?: true
  /** A command that is refused as a whole. */
  readonly not_run?: true
  /** Runs by itself, after the others. */
  readonly heavy?: true
}

const folder = new URL('../fixtures/', import.meta.url)

function read(name: string): AttackCase[] {
  return JSON.parse(readFileSync(new URL(name, folder), 'utf8')).cases
}

const ownFiles = readdirSync(folder)
  .filter((name) => /^own-.*\.json$/.test(name))
  .sort()

export const givenCases: readonly AttackCase[] = read('given.json')
export const ownCases: readonly AttackCase[] = ownFiles.flatMap(read)

/** All cases as they are run: the given ones verbatim but for what the table of adjustments says, and why. */
export const attackCases: readonly AttackCase[] = [...givenCases, ...ownCases].map((given) => {
  const { input, ...more } = adjusted[given.id] ?? {}
  return { ...given, ...more, input: { ...given.input, ...input } }
})

export const fixturePath = (name: string): string => join(import.meta.dirname, '..', 'fixtures', name)
