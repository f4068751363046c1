import { shownName } from '@parley/presentation/text/control-characters'
import { conversationName, formatAgo, placedPath } from '@parley/presentation/text/formats'
import { type ListedConversation, shortIdOf } from '@parley/protocol'
import { columnLines } from '@parley/text'
import { connect } from '../../cli/connect.ts'
import { exitCodes } from '../../cli/exit-codes.ts'
import { userFolder } from '../../cli/folders.ts'
import type { Launch } from '../../cli/launch-server.ts'

/** Runs `parley list`: one conversation per line, newest first; on a terminal with column names. */
export async function runList(
  launch: Launch,
  { json, archived, limit }: { readonly json?: boolean; readonly archived?: boolean; readonly limit: number },
): Promise<number> {
  await using parley = await connect(launch, { clientName: 'parley-list' })
  const request = { limit, archived: archived === true }
  const { conversations } = await parley.request('conversation/list', request)
  const isFar = launch.server !== null
  const lines =
    json === true
      ? conversations.map((one) => JSON.stringify(one))
      : conversationLines(conversations, { withNames: launch.streams.stdout.isTTY === true, isFar })
  launch.streams.stdout.write(lines.map((line) => `${line}\n`).join(''))
  if (lines.length === 0 && json !== true)
    launch.streams.stderr.write(
      `${archived === true ? 'No archived conversations.' : 'No conversations yet. `parley` starts one.'}\n`,
    )
  return exitCodes.ok
}

const columns = ['ID', 'UPDATED', 'FOLDER', 'TITLE']

interface Listing {
  /** True to print the names of columns above the lines. */
  readonly withNames: boolean
  /** True for the list of a server that was named by an address. */
  readonly isFar: boolean
}

/** Returns a line for each conversation, in columns. */
export function conversationLines(
  conversations: readonly ListedConversation[],
  { withNames, isFar }: Listing,
): readonly string[] {
  const now = Date.now()
  const rows = conversations.map((conversation) => rowOf(conversation, { nowMs: now, isFar }))
  const shown = withNames && rows.length > 0 ? [columns, ...rows] : rows
  return columnLines(shown)
}

function rowOf(
  conversation: ListedConversation,
  { nowMs, isFar }: { readonly nowMs: number } & Pick<Listing, 'isFar'>,
): readonly string[] {
  const { shortId, updatedAt, cwd, environment, live, forkedFrom, newer } = conversation
  const notes = [
    ...(forkedFrom === null ? [] : [`[fork of ${shortIdOf(forkedFrom.id)}]`]),
    ...(live === null ? [] : [`[${openWords(live, isFar)}]`]),
    ...(newer === true ? ['[of a newer parley: read-only]'] : []),
  ]
  const about = [shownName(conversationName(conversation)), ...notes].join('  ')
  return [shortId, formatAgo(updatedAt, nowMs), shownName(placedPath(cwd, environment, userFolder())), about]
}

/** Returns where a conversation is open. A process id means nothing on another machine. */
function openWords({ pid, address }: NonNullable<ListedConversation['live']>, isFar: boolean): string {
  if (address !== undefined) return `open at ${shownName(address.replace(/^wss?:\/\//, ''))}`
  return isFar ? 'open' : `open in process ${pid}`
}
