import type { Approval, Enforcement, FileChangeEntry, ItemOf, McpServer, Plan, ResultOf } from '@parley/protocol'
import { countedNoun } from '@parley/text'
import { collapseBlanks, showHidden } from '../text/control-characters.ts'

export type NoticeLevel = ItemOf<'notice'>['level']

/** Notice of the program itself, which is not part of the conversation. */
export type Notice =
  | { readonly kind: 'note'; readonly level: NoticeLevel; readonly text: string }
  | { readonly kind: 'table'; readonly title: string; readonly rows: readonly (readonly [string, string])[] }
  | { readonly kind: 'greeting'; readonly program: string; readonly facts: readonly string[] }
  | { readonly kind: 'plan'; readonly plan: Plan }
  /** Files of a folder that differ from its last commit. */
  | {
      readonly kind: 'changes'
      readonly title: string
      readonly files: readonly FileChangeEntry[]
      readonly isCut: boolean
    }
  /** Complete approval. `enforcement`: of the environment where the call would run. */
  | { readonly kind: 'approvalDetail'; readonly approval: Approval; readonly enforcement: Enforcement }

/** Returns true for two notes of the same text. */
export function isSameNote(notice: Notice, other: Notice | undefined): boolean {
  return notice.kind === 'note' && other?.kind === 'note' && notice.text === other.text
}

/** Newest stderr lines of a tool server to show. */
const stderrLines = 3

/** Returns the table of tool servers with their state, and stderr where something is wrong. */
export function mcpTable({ servers }: { readonly servers: readonly McpServer[] }): Notice {
  const title =
    servers.length === 0
      ? 'No tool server is configured: [mcp_servers.NAME] in config.toml adds one'
      : 'Tool servers: /mcp restart NAME starts one anew'
  return { kind: 'table', title, rows: servers.flatMap(rowsOf) }
}

function rowsOf({ name, state, tools, restarts, error, stderr }: McpServer): (readonly [string, string])[] {
  const facts = [
    state,
    ...(state === 'ready' ? [countedNoun(tools.length, 'tool')] : []),
    ...(restarts === 0 ? [] : [`started again ${restarts === 1 ? 'once' : `${restarts} times`}`]),
  ]
  const lines = (stderr ?? '').split('\n').filter((line) => line.trim() !== '')
  const shownLines = state === 'ready' ? [] : lines.slice(-stderrLines)
  const more = [...(error === undefined ? [] : error.split('\n')), ...shownLines]
  return [[name, facts.join(' · ')], ...more.map((line) => ['', line] as const)]
}

/** Returns the table of reasons for running a call or not, with hidden characters shown. */
export function whyTable({ item, rows }: ResultOf<'policy/why'>): Notice {
  return {
    kind: 'table',
    title: `Why ${shown(item.title)}`,
    rows: rows.map(({ about, text }) => [about, shown(text)]),
  }
}

function shown(text: string): string {
  return showHidden(collapseBlanks(text)).replaceAll('\n', ' ⏎ ')
}
