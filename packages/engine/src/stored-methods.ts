import type { ConversationEvent, ParamsOf } from '@parley/protocol'
import type { FileFinder } from './client-access/find-files.ts'
import { readView } from './conversation/log-fold.ts'
import type { Guest } from './limits/may-loosen.ts'
import { type LiveConversation, summaryOf } from './live/live-conversation.ts'
import type { EngineMethods, MethodPorts } from './method-ports.ts'
import { wantedConversation } from './read/list-conversations.ts'
import { existingPaths, findItem, readEvents, readItems, readSideFile } from './read/read-conversation.ts'
import { readTurns } from './read/read-turns.ts'

type StoredMethod =
  | 'conversation/create'
  | 'conversation/resume'
  | 'conversation/fork'
  | 'conversation/rescue'
  | 'conversation/list'
  | 'conversation/search'
  | 'conversation/read'
  | 'conversation/turns'
  | 'conversation/readChange'
  | 'conversation/context'
  | 'conversation/findFiles'
  | 'conversation/readEvents'
  | 'conversation/readFile'
  | 'conversation/rename'
  | 'conversation/archive'
  | 'conversation/unarchive'
  | 'conversation/delete'

/** Methods that open, list, read, rename and delete conversations, whether they are open or not. */
export function storedMethods(client: Guest, ports: MethodPorts): Pick<EngineMethods, StoredMethod | BundleMethod> {
  const { host } = ports
  const noted = (event: ConversationEvent) => (live: LiveConversation) => ({ seq: live.conversation.record(event).seq })
  let findFiles: FileFinder | null = null
  const archive = (archived: boolean) => noted({ type: 'conversation.archived', archived, by: client.actor })
  return {
    'conversation/create': async (params) => summaryOf(await host.create(params, client)),
    'conversation/resume': async (params) => summaryOf(await host.resume(params, client)),
    'conversation/fork': async (params) => summaryOf(await host.fork(params, client)),
    'conversation/rescue': async (params) => summaryOf(await host.rescue(params, client)),
    ...bundleMethods(client, ports),
    'conversation/list': (params) => host.list(params, client),
    'conversation/search': async (params) =>
      (await import('./search/search-conversations.ts')).searchConversations(
        { search: ports.search, copies: ports.copies, catalogue: host.readable(client) },
        params,
      ),
    'conversation/read': ({ conversationId, before = null, after = 0, limit = 100 }) =>
      readItems(ports, conversationId, { before, after, limit }),
    'conversation/turns': ({ conversationId, before = null, limit = 20 }) =>
      readTurns(ports.files, existingPaths(ports, conversationId), { before, limit }),
    'conversation/readChange': async ({ conversationId, itemId }) => {
      const { readChange } = await import('./client-access/read-change.ts')
      return {
        files: await readChange(host.get(conversationId), itemId, () => findItem(ports, conversationId, itemId)),
      }
    },
    'conversation/context': async ({ conversationId }) => {
      const { conversation, roles } = host.get(conversationId)
      const { context } = conversation.state.core
      const { contextUse } = await import('./read/context-use.ts')
      await readView(conversation.view)
      return contextUse({
        request: roles.model.requests.next(),
        instructionFiles: context?.instructionFiles ?? [],
        counted: conversation.view.request.counted(conversation.sideFiles),
        contextWindow: roles.model.current().facts.contextWindow,
      })
    },
    'conversation/findFiles': async ({ conversationId, query }) => {
      const { createFileFinder } = await import('./client-access/find-files.ts')
      findFiles ??= createFileFinder(ports.trust.clock.now)
      return findFiles(host.get(conversationId), query)
    },
    'conversation/readEvents': ({ conversationId, ...range }) =>
      readEvents(host.get(conversationId).conversation, range),
    'conversation/readFile': (params) => readSideFile(ports, params),
    'conversation/rename': async ({ conversationId, name }) =>
      host.withConversation(conversationId, noted({ type: 'conversation.renamed', name, by: client.actor })),
    'conversation/archive': async ({ conversationId }) => host.withConversation(conversationId, archive(true)),
    'conversation/unarchive': async ({ conversationId }) => host.withConversation(conversationId, archive(false)),
    'conversation/delete': async ({ conversationId }) => {
      await host.delete(conversationId)
      // Where this fails, the next search finds that the log is gone.
      await ports.search.forget(conversationId).catch(() => undefined)
      return {}
    },
  }
}

type BundleMethod = 'bundle/describe' | 'bundle/write' | 'bundle/open' | 'conversation/export'

/** Methods for conversations in one file; their code is loaded with the first call. */
function bundleMethods(
  client: Guest,
  { host, files, redaction, program, trust }: MethodPorts,
): Pick<EngineMethods, BundleMethod> {
  const ports = { files, redaction, program, now: () => trust.clock.now() }
  const source = async ({ withoutOutputs = false, ...wanted }: ParamsOf<'bundle/describe'>) => {
    const conversationId = await host.find(wantedConversation(wanted), client)
    return { conversationId, withoutOutputs, paths: await host.storedPaths(conversationId) }
  }
  return {
    'bundle/describe': async (params) =>
      (await import('./bundle/write-bundle.ts')).describeBundle(await source(params), ports),
    'bundle/write': async (params) =>
      (await import('./bundle/write-bundle.ts')).writeBundle(await source(params), params.file, ports),
    'conversation/export': async ({ before, limit, ...wanted }) =>
      (await import('./bundle/export-page.ts')).exportPage(await source(wanted), { before, limit }, ports),
    'bundle/open': async (params) => summaryOf(await host.openBundle(params, client)),
  }
}
