import { noSandbox, type Sandbox } from '@parley/host'
import { assertUnchanged, type McpServers, mcpSettings, type ProgramPlace, withoutSandbox } from '@parley/mcp-client'
import { isUnchanged, readRemoteTree, type ServerSandboxPolicy, serverSandboxPolicies } from '@parley/policy'
import { type Environment, liesWithin } from '@parley/workspace'
import { type ConversationMcp, createConversationMcp } from '../context/conversation-mcp.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { type AllowedServers, allowedServerSettings } from '../limits/allowed-servers.ts'
import { assertNotWritable } from '../limits/writable-program.ts'
import type { Ids } from '../ports/clock-and-ids.ts'
import type { Participants } from '../session/participants.ts'
import type { ConversationProject } from './conversation-project.ts'

interface McpParts {
  readonly conversation: Conversation
  readonly clients: Participants
  readonly project: Pick<ConversationProject, 'config'>
  readonly environment: Environment
}

interface McpPorts {
  readonly mcpServers: McpServers
  readonly allowedServers: Pick<AllowedServers, 'of'>
  readonly ids: Ids
}

/** Opens the tool servers of a conversation. Their programs start where its commands run. */
export function openMcp(
  { conversation, clients, project, environment }: McpParts,
  { mcpServers, allowedServers, ids }: McpPorts,
): ConversationMcp {
  const { cwd } = conversation.state.core.meta
  const place = environment.name === null ? null : placeIn(environment, conversation)
  const config = knownPair(
    () => project.config,
    () => allowedServers.of(conversation.id),
  )
  return createConversationMcp({
    conversation,
    config,
    lease(sandbox, [{ effective, own, project: found }, ofEditor]) {
      const configured = mcpSettings(effective.values, cwd, serverSandboxPolicies(found, own, sandbox))
      return mcpServers.lease([...configured, ...allowedServerSettings(ofEditor, configured, { own, sandbox })], place)
    },
    newItemId: ids.item,
    isWatched: () => clients.answerers.length > 0,
  })
}

/** Returns a function whose result is the same pair as long as both of its values are. */
function knownPair<One, Other>(one: () => One, other: () => Other): () => readonly [One, Other] {
  let known: readonly [One, Other] | null = null
  return () => {
    const now = [one(), other()] as const
    if (known === null || known[0] !== now[0] || known[1] !== now[1]) known = now
    return known
  }
}

/** Returns the place of programs in an environment. Its link may be of this conversation alone, so none is shared. */
function placeIn(environment: Environment, conversation: Conversation): ProgramPlace {
  return {
    key: conversation.id,
    async open(launch) {
      await environment.reach()
      const { sandboxPolicy } = launch
      const { argv: words, cwd, env } = launch
      const program = { words, cwd, ...(env['PATH'] === undefined ? {} : { searchPath: env['PATH'] }) }
      if (sandboxPolicy === undefined) await assertNotWritable(program, 'a tool server', { environment, conversation })
      const sandbox = sandboxPolicy === undefined ? noSandbox : await projectSandbox(sandboxPolicy, environment)
      await conversation.mayAct()
      return { host: environment.commands, env: environment.env, sandbox }
    },
  }
}

/**
 * Prepares the sandbox of a server that a project configures, on the machine of the project. Throws when its files changed
 * since their trust, its folder since the first start, or without a full sandbox or an approval.
 */
async function projectSandbox(
  { root, mode, network, mayRunUnsandboxed, programs }: ServerSandboxPolicy,
  { files, sandboxes, secrets, rootsNow }: Environment,
): Promise<Sandbox> {
  assertUnchanged(
    await readRemoteTree(files, (tree) => programs.find((program) => !isUnchanged({ root, tree }, program))),
  )
  const { changed } = await rootsNow([root])
  if (changed[0] !== undefined) throw new Error(changed[0])
  if ((await sandboxes.report()).enforcement !== 'full') return withoutSandbox(mayRunUnsandboxed)
  const masked = (await secrets()).filter((secret) => !liesWithin(root, secret))
  return sandboxes.prepare({ mode, writableRoots: [root], network, unixSockets: false, masked, scratch: null })
}
