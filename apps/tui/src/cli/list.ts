import { homedir } from 'node:os'
import type { ListedConversation } from '@parley/protocol'
import type { Launch } from '../main.ts'
import { formatAgo } from '../view/ago.ts'
import { stripEffects } from '../view/neutralise.ts'
import { connect } from './connect.ts'
import { exitCodes } from './exit-codes.ts'

interface ListFlags {
  readonly json?: boolean
  readonly archived?: boolean
  readonly limit: number
}

/** `parley list`: one conversation a line, newest first. */
export async function runList(launch: Launch, { json, archived, limit }: ListFlags): Promise<number> {
  await using connection = await connect(launch, { canApprove: false, clientName: 'parley-list' })
  const request = { limit, archived: archived === true }
  const { conversations } = await connection.client.request('conversation/list', request)
  const lines = json === true ? conversations.map((one) => JSON.stringify(one)) : table(conversations)
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
  if (lines.length === 0 && json !== true)
    process.stderr.write(
      `${archived === true ? 'No archived conversations.' : 'No conversations yet. `parley` starts one.'}\n`,
    )
  return exitCodes.ok
}

function table(conversations: readonly ListedConversation[]): string[] {
  const now = Date.now()
  const rows = conversations.map(({ shortId, updatedAt, cwd, title, name, live }) => ({
    shortId,
    ago: formatAgo(updatedAt, now),
    folder: shortPath(cwd),
    about: oneLine(name ?? (title || '(no message)')) + (live === null ? '' : `  [open in process ${live.pid}]`),
  }))
  const agoWidth = Math.max(0, ...rows.map(({ ago }) => ago.length))
  const folderWidth = Math.max(0, ...rows.map(({ folder }) => folder.length))
  return rows.map(
    ({ shortId, ago, folder, about }) => `${shortId}  ${ago.padEnd(agoWidth)}  ${folder.padEnd(folderWidth)}  ${about}`,
  )
}

function shortPath(path: string): string {
  const home = homedir()
  const below = home !== '/' && (path === home || path.startsWith(`${home}/`))
  return oneLine(below ? `~${path.slice(home.length)}` : path)
}

function oneLine(text: string): string {
  return stripEffects(text).replaceAll('\n', ' ')
}
