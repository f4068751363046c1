import type { Parley } from '@parley/client'
import { shownLine, shownName } from '@parley/presentation/text/control-characters'
import { conversationName, countOf, placedPath } from '@parley/presentation/text/formats'
import { type ConversationSummary, shortIdOf } from '@parley/protocol'
import { connect } from '../../cli/connect.ts'
import { exitCodes, misused } from '../../cli/exit-codes.ts'
import { userFolder } from '../../cli/folders.ts'
import { isAgreed } from '../../cli/is-agreed.ts'
import type { Launch } from '../../cli/launch-server.ts'

/** Runs `parley archive` and `parley unarchive`, which hide a conversation in the list or show it again. */
export function archiveConversation(launch: Launch, id: string, archived: boolean): Promise<number> {
  const method = archived ? 'conversation/archive' : 'conversation/unarchive'
  return withFound(launch, id, async (parley, { conversationId }) => {
    await parley.request(method, { conversationId })
    const shortId = shortIdOf(conversationId)
    return archived
      ? `${shortId} is archived: parley unarchive ${shortId} puts it back.`
      : `${shortId} is in the list again.`
  })
}

export function renameConversation(launch: Launch, id: string, name: string): Promise<number> {
  if (name.trim() === '') throw misused('A name has a letter at least.')
  return withFound(launch, id, async (parley, { conversationId }) => {
    await parley.request('conversation/rename', { conversationId, name: name.trim() })
    return `${shortIdOf(conversationId)} is now named ${shownName(name.trim())}.`
  })
}

/** Runs `parley delete`: shows the conversation and asks on a terminal; elsewhere it needs `--yes`. */
export function deleteConversation(launch: Launch, id: string, { yes }: { readonly yes?: boolean }): Promise<number> {
  return withFound(launch, id, async (parley, { conversationId, cwd, settings: { environment } }) => {
    const { name, turns, events } = await parley.request('bundle/describe', { conversation: conversationId })
    const { stdin, stderr } = launch.streams
    stderr.write(
      `${shortIdOf(conversationId)}  ${shownName(conversationName({ name: null, title: name }))}\n  ${countOf(turns, 'turn')} in ${countOf(events, 'event')}, in ${shownLine(placedPath(cwd, environment, userFolder()))}\n`,
    )
    if (yes !== true) {
      if (!stdin.isTTY || !stderr.isTTY) throw misused('Nothing was deleted: --yes deletes it without a question.')
      if (!(await isAgreed('Delete it with all its files? This cannot be undone.'))) return 'Not deleted.'
    }
    await parley.request('conversation/delete', { conversationId })
    return `${shortIdOf(conversationId)} is deleted.`
  })
}

/** Finds a conversation, changes it and prints a sentence about the change. */
async function withFound(
  launch: Launch,
  id: string,
  change: (parley: Parley, found: ConversationSummary) => Promise<string>,
): Promise<number> {
  await using parley = await connect(launch, { clientName: 'parley-list' })
  const found = await parley.request('conversation/resume', { prefix: id, readOnly: true })
  launch.streams.stdout.write(`${await change(parley, found)}\n`)
  return exitCodes.ok
}
