import { StringDecoder } from 'node:string_decoder'
import type { ConversationId, ResultOf } from '@parley/protocol'
import { type FileList, listingArguments, matchPaths, newListing } from '@parley/text'
import type { Environment } from '@parley/workspace'
import { workspaceOf } from '../limits/workspace-folders.ts'
import type { LiveConversation } from '../live/live-conversation.ts'
import { fileSurroundings } from '../tools/contract/define-tool.ts'
import type { Workspace } from '../tools/contract/tool.ts'

/** Age from which the files are listed anew when another path is begun. */
const staleAfterMs = 10_000
/** Files listed at most. */
const maxFiles = 100_000
const timeLimitMs = 20_000

interface FolderListing {
  readonly conversationId: ConversationId
  readonly atMs: number
  readonly files: Promise<FileList>
}

/** Finds files of the folder of a conversation by a part of their path. */
export type FileFinder = (live: LiveConversation, query: string) => Promise<ResultOf<'conversation/findFiles'>>

/** Returns a finder that keeps the list of one folder, the last that was asked for. */
export function createFileFinder(now: () => number): FileFinder {
  let last: FolderListing | null = null
  return async (live, query) => {
    const { conversationId } = live.conversation.state.core.meta
    const isOther = last?.conversationId !== conversationId
    const isStale = query === '' && last !== null && now() - last.atMs >= staleAfterMs
    if (last === null || isOther || isStale) last = { conversationId, atMs: now(), files: listOf(live) }
    const listed = last
    try {
      const files = await listed.files
      return { paths: [...matchPaths(files, query)], isWhole: files.isWhole }
    } catch (error) {
      if (last === listed) last = null
      throw error
    }
  }
}

async function listOf({ conversation, roles }: LiveConversation): Promise<FileList> {
  const { environment } = roles.act.history
  return listFiles(environment, await fileSurroundings(environment, workspaceOf(conversation.state)))
}

/** Lists the files of a folder that git does not ignore; an empty list where its machine has no ripgrep. */
export async function listFiles(environment: Environment, { cwd, roots }: Workspace): Promise<FileList> {
  const ripgrep = await environment.search.there(roots)
  const listing = newListing(cwd)
  if (ripgrep === null) return listing.list(false)
  const decoder = new StringDecoder('utf8')
  const outcome = await ripgrep.run({
    command: [...ripgrep.command, ...listingArguments],
    cwd,
    looksAt: cwd,
    timeLimitMs,
    onOutput: (chunk) => listing.take(decoder.write(chunk)) < maxFiles,
  })
  return listing.list(outcome.kind === 'exited')
}
