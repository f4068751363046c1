import type { ListProblem, McpServer } from '@parley/mcp-client'
import type { ItemId } from '@parley/protocol'
import type { Conversation } from '../conversation/conversation.ts'
import { noticeItem } from '../conversation/notices.ts'
import { unlessStorageFails } from '../conversation/storage-retry.ts'
import type { ChangedTool } from '../tools/mcp/mcp-tool.ts'

/** Characters shown of the last line on a server's stderr. */
const shownCharacters = 200
/** Most faults of one server in the title of a notice; its text has all. */
const shownFaults = 3

/** Creates the recorder of notices about the servers of a conversation; each problem is recorded once. */
export function mcpNotices(conversation: Conversation, servers: readonly McpServer[], newItemId: () => ItemId) {
  const reported = new Map<McpServer, string>()
  const record = (item: ReturnType<typeof noticeItem>) => {
    unlessStorageFails(() => void conversation.record({ type: 'item.completed', item }))
  }
  /** Records a notice for each server that has failed since, as soon as the conversation has a log. */
  const recordNew = () => {
    if (!conversation.started || conversation.readOnly) return
    for (const server of servers) {
      const { failure } = server
      if (failure === null) reported.delete(server)
      if (failure === null || reported.get(server) === failure) continue
      reported.set(server, failure)
      record(failureNotice(server, newItemId()))
    }
  }
  const unsubscribes = servers.map((server) => server.onChange(recordNew))
  return {
    recordNew,
    /** Records a notice for each server with tools that are left out or offered in another form. */
    recordOffer(changed: readonly ChangedTool[]) {
      if (!conversation.started || conversation.readOnly) return
      for (const server of servers) {
        const folded = changed.filter((tool) => tool.server === server.name)
        const item = offerNotice(server, folded, newItemId)
        if (item !== null && !isRecorded(conversation, item)) record(item)
      }
    },
    stop: () => {
      for (const unsubscribe of unsubscribes) unsubscribe()
    },
  }
}

/** Builds the notice of a failed server; it names the terminal's command to restart it. */
function failureNotice({ name, failure, stderr, logPath }: McpServer, id: ItemId) {
  const [lastLine = ''] = stderr.split('\n').slice(-1)
  const why = lastLine === '' ? failure : `${failure} (${lastLine.slice(0, shownCharacters)})`
  const title = `The MCP server "${name}" is not available: ${why}. Its log is ${logPath}; in the terminal \`/mcp restart ${name}\` starts it again.`
  return noticeItem(id, { level: 'warning', code: 'mcpServerFailed', title, text: stderr === lastLine ? '' : stderr })
}

/** Builds the notice of tools that are left out, or not offered as they are; null for a server without any. */
function offerNotice({ name, listProblems }: McpServer, folded: readonly ChangedTool[], newItemId: () => ItemId) {
  const leftOut = listProblems.map(faultText)
  const faults = [...leftOut, ...folded.map(foldedText)]
  if (faults.length === 0) return null
  const more = faults.length > shownFaults ? `; and ${faults.length - shownFaults} more` : ''
  const what = leftOut.length > 0 ? 'does not offer all of its tools as it lists them' : 'offers tools in another form'
  return noticeItem(newItemId(), {
    level: leftOut.length > 0 ? 'warning' : 'info',
    code: 'mcpToolsChanged',
    title: `The MCP server "${name}" ${what}: ${faults.slice(0, shownFaults).join('; ')}${more}.`,
    text: faults.length > shownFaults ? faults.join('\n') : '',
  })
}

function faultText({ tool, why }: ListProblem): string {
  return tool === null ? why : `"${tool}" (${why})`
}

function foldedText({ tool, folded }: ChangedTool): string {
  return `"${tool}" (the model's API refuses ${folded.join(', ')} at the top of a schema, so all of it is one object)`
}

function isRecorded({ state }: Conversation, { code, title }: ReturnType<typeof noticeItem>): boolean {
  return state.window.some(({ item }) => item.type === 'notice' && item.code === code && item.title === title)
}
