import { resolve } from 'node:path'
import { noSandbox, type Sandbox, startedBy } from '@parley/host'
import {
  assertUnchanged,
  type McpServers,
  mcpSettings,
  type ProgramPlace,
  type StdioLaunch,
  withoutSandbox,
} from '@parley/mcp-client'
import { isUnchanged, readThere, type ServerSandboxPolicy, serverSandboxPolicies } from '@parley/policy'
import { settingsInForce } from '@parley/protocol'
import { type Environment, findProgram, liesWithin, whenUnknown } from '@parley/workspace'
import type { Ids } from '../../ports/clock-and-ids.ts'
import { type ConversationMcp, createConversationMcp } from '../context/conversation-mcp.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { ConversationProject } from '../project/conversation-project.ts'
import type { Participants } from '../session/participants.ts'
import { workspaceOf } from './workspace-folders.ts'

interface McpParts {
  readonly conversation: Conversation
  readonly clients: Participants
  readonly project: Pick<ConversationProject, 'config'>
  readonly environment: Environment
}

interface McpPorts {
  readonly mcpServers: McpServers
  readonly ids: Ids
}

/** Opens the tool servers of a conversation. Their programs start where its commands run. */
export function openMcp(
  { conversation, clients, project, environment }: McpParts,
  { mcpServers, ids }: McpPorts,
): ConversationMcp {
  const { cwd } = conversation.state.core.meta
  const place = environment.name === null ? null : placeIn(environment, conversation)
  return createConversationMcp({
    conversation,
    config: () => project.config,
    lease(sandbox, { effective, own, project: found }) {
      return mcpServers.lease(mcpSettings(effective.values, cwd, serverSandboxPolicies(found, own, sandbox)), place)
    },
    newItemId: ids.item,
    isWatched: () => clients.answerers.length > 0,
  })
}

/** Returns the place of programs in an environment. Its link may be of this conversation alone, so none is shared. */
function placeIn(environment: Environment, conversation: Conversation): ProgramPlace {
  return {
    key: conversation.id,
    async open(launch) {
      await environment.reach()
      const { sandboxPolicy } = launch
      if (sandboxPolicy === undefined) await assertNotWritable(launch, environment, conversation)
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
  assertUnchanged(await readThere(files, (tree) => programs.find((program) => !isUnchanged({ root, tree }, program))))
  const { changed } = await rootsNow([root])
  if (changed[0] !== undefined) throw new Error(changed[0])
  if ((await sandboxes.report()).enforcement !== 'full') return withoutSandbox(mayRunUnsandboxed)
  const masked = (await secrets()).filter((secret) => !liesWithin(root, secret))
  return sandboxes.prepare({ mode, writableRoots: [root], network, unixSockets: false, masked, scratch: null })
}

/** Throws for a program in a folder that commands may write to: it runs outside the sandbox, and nothing guards it there. */
async function assertNotWritable(
  { argv, cwd }: StdioLaunch,
  { files, home, env, rootsNow }: Environment,
  { state }: Conversation,
): Promise<void> {
  if (settingsInForce(state.core).sandbox === 'danger-full-access') return
  const { real: roots } = await rootsNow(workspaceOf(state).roots)
  const [name = ''] = argv
  const program = await findProgram({ name, searchPath: env['PATH'] ?? '', cwd, roots, files })
  const named = startedBy(argv, home).map((word) => resolve(cwd, word))
  const inside = await Promise.all(named.map((path) => isFileWithin(path, roots, files)))
  const found = program.insideRoots ? (program.path ?? name) : named[inside.indexOf(true)]
  if (found === undefined) return
  throw new Error(
    `${found} lies where commands of the conversation may write, and a tool server runs there outside the sandbox. Keep its program elsewhere on that machine`,
  )
}

async function isFileWithin(path: string, roots: readonly string[], files: Environment['files']): Promise<boolean> {
  const real = await files.realPath(path).catch(whenUnknown(path))
  if (![path, real].some((one) => roots.some((root) => liesWithin(one, root)))) return false
  // A folder is what a program works on.
  return await files.look(real).then(({ kind }) => kind !== 'folder', whenUnknown(false))
}
