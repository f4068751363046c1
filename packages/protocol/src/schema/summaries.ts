import * as z from 'zod'
import { access, clientAccess, userName } from './access.ts'
import { fileChangeEntry } from './call-parts.ts'
import { tokenCounts } from './event-parts.ts'
import { clientId, conversationId } from './ids.ts'
import { enforcement, sandboxMode, settings } from './settings.ts'
import { forkedFrom } from './state.ts'

export const storageTrouble = z
  .object({
    errno: z.string().describe('Name of the error.'),
    message: z.string().describe('For people.'),
    since: z.number().describe('ms since the epoch.'),
    passing: z.boolean().describe('It is tried again, and ends by itself when the disk takes writes again.'),
  })
  .describe('A disk that rejects writes of an open conversation.')

export const conversationSummary = z
  .object({
    conversationId,
    shortId: z.string().describe('Last 8 hex digits; `resume` takes it.'),
    cwd: z.string(),
    title: z.string().describe('First line of the first message; empty before it.'),
    name: z.string().nullable().describe('Given by the user.'),
    createdAt: z.number().describe('ms since the epoch.'),
    updatedAt: z.number().describe('ms since the epoch.'),
    settings,
    activity: z
      .enum(['idle', 'running', 'waiting', 'parked'])
      .describe('`waiting`: an approval is pending and its turn is live here.'),
    turns: z.int().describe('Turns started so far.'),
    archived: z.boolean(),
    forkedFrom,
    readOnly: z.boolean().describe('The conversation is a view: it takes no messages.'),
    recovered: z
      .string()
      .nullable()
      .describe(
        'One line about a crash that was settled when the conversation was opened, until it no longer applies; else null.',
      ),
    instructionFiles: z
      .array(z.string())
      .describe(
        'Paths of the instruction files that were read: AGENTS.md, or CLAUDE.md where a folder has no AGENTS.md.',
      ),
    warnings: z.array(z.string()).describe('Sentences for people.'),
    storage: storageTrouble.exactOptional(),
    ceiling: z
      .object({ sandbox: sandboxMode, neverWithFullAccess: z.boolean() })
      .exactOptional()
      .describe('The widest limits that the operator of this server allows; a request for wider ones is rejected.'),
  })
  .describe('A conversation that is open here.')

export const listedConversation = z
  .object({
    conversationId,
    shortId: z.string().describe('Last 8 hex digits.'),
    cwd: z.string(),
    environment: z
      .string()
      .exactOptional()
      .describe('Name of the environment that `cwd` is a folder of; left out for the machine of the server.'),
    title: z.string(),
    name: z.string().nullable(),
    createdAt: z.number().describe('ms since the epoch.'),
    updatedAt: z.number().describe('ms since the epoch.'),
    archived: z.boolean(),
    forkedFrom,
    access: access
      .exactOptional()
      .describe('Users and links that reach it; left out where no server with users had it.'),
    live: z
      .object({
        pid: z.int(),
        socket: z.string().nullable().describe('Socket to join it at; null without a socket.'),
        address: z
          .string()
          .exactOptional()
          .describe('Websocket to join it at; with a store that servers share, where `pid` may be of another machine.'),
      })
      .nullable()
      .describe('The process that holds its writer lock, if any.'),
    newer: z
      .literal(true)
      .exactOptional()
      .describe('A newer parley wrote it: this one shows it, and cannot go on in it.'),
  })
  .describe('A conversation as a list shows it.')

export const bundleContents = z
  .object({
    conversationId,
    name: z.string().describe('Name or title.'),
    cwd: z.string().describe('Folder it works in; paths are not redacted.'),
    seq: z.int().describe('Seq of the last event.'),
    events: z.int(),
    turns: z.int(),
    items: z.record(z.string(), z.int()).describe('Number of completed items by type.'),
    sideFiles: z.int().describe('Number of long outputs, long texts, images and instructions.'),
    changedEvents: z.int().describe('Events that differ from the log: redacted now, or without their outputs.'),
    missing: z.array(z.string()).describe('References of side files that the log names and that are not there.'),
  })
  .describe('Content of a bundle.')

export const contextUse = z
  .object({
    contextWindow: z.int().nullable().describe('Tokens that a request may have; null where that is not known.'),
    tokens: z.int().describe('Tokens of the next request, estimated.'),
    isScaled: z.boolean().describe("The estimate is scaled to the provider's count for the newest call."),
    parts: z
      .array(
        z.object({
          kind: z
            .enum(['instructions', 'tools', 'files', 'outputs', 'talk'])
            .describe('`files`: AGENTS.md files. `outputs`: results of calls. `talk`: messages, answers and calls.'),
          tokens: z.int(),
          count: z.int().describe('Number of tools, files, outputs or messages.'),
        }),
      )
      .describe('Parts of it, in the order of the request.'),
  })
  .describe('Parts that fill the context window in a request.')

export const usageSums = z
  .object({
    rows: z
      .array(
        z.object({
          key: z
            .string()
            .describe('The day, `provider model`, or the folder; of another machine `environment:folder`.'),
          conversations: z.int(),
          calls: z.int().describe('Model calls.'),
          counts: tokenCounts,
        }),
      )
      .describe('Days newest first, others by their cost.'),
    unread: z
      .int()
      .describe('Number of conversations of a store that are not fetched yet, and not in the sums; ask again later.'),
  })
  .describe('Tokens and cost, summed.')

export const mcpServer = z
  .object({
    name: z.string().describe('Key of `[mcp_servers.X]`.'),
    state: z
      .enum(['starting', 'ready', 'failed', 'stopped'])
      .describe('`stopped`: configured, but not needed so far, disabled, or waiting to be started again.'),
    tools: z.array(z.string()).describe('Tools that are not switched off, by the names the server gives them.'),
    error: z.string().exactOptional().describe('Last failure, and its remedy.'),
    stderr: z.string().exactOptional().describe("End of the server's stderr."),
    restarts: z.int().describe('Number of restarts.'),
  })
  .describe('An MCP server as `/mcp` shows it.')

export const leftFile = z
  .object({
    path: z.string().describe('Path relative to the folder of the conversation where possible.'),
    why: z
      .enum(['changedSince', 'notKept', 'notPossible'])
      .describe(
        '`changedSince`: it is not as the last call left it, so somebody else changed it. `notKept`: its earlier content is not kept. `notPossible`: something else stands in its place.',
      ),
    text: z.string().describe('One sentence for people.'),
  })
  .describe('A file that a rewind leaves as it is.')

export const changedText = z
  .object({
    path: z.string().describe('Absolute path.'),
    movedTo: z.string().exactOptional().describe('Absolute new path, when it is renamed.'),
    kind: fileChangeEntry.shape.kind,
    oldText: z.string().nullable().describe('Text before; null when there was no file.'),
    newText: z.string().nullable().describe('Text after; null when the file is deleted.'),
    isWhole: z
      .boolean()
      .describe(
        'False when the texts are only the lines that the diff shows: the contents are not kept, not text or too long.',
      ),
  })
  .describe('A file of a change with its texts.')

export const rewindPlan = z
  .object({
    to: z.int().describe('Seq of the event after which files were as the rewind makes them.'),
    hash: z.string().describe('Hash of all that would be written, for `conversation/rewind`.'),
    changes: z.array(fileChangeEntry).describe('Files that it would write or remove, with their diffs.'),
    left: z.array(leftFile).describe('Files that changed since and that it would leave as they are.'),
    notes: z
      .array(z.string())
      .describe(
        'Sentences on effects that the rewind does not cover: commands in too large a folder, calls with an unknown end.',
      ),
  })
  .describe('Plan to bring files back to how they were at an earlier point.')

export const listChanged = z.object({}).describe('The list of conversations may be another.')

export const clientsChanged = z
  .object({
    conversationId,
    clients: z.int().min(1).describe('Clients that stream it, this one included.'),
  })
  .describe('The number of clients of a conversation.')

export const serverNotice = z
  .object({
    level: z.enum(['info', 'warning', 'error']),
    code: z.string().describe('Stable, for programs.'),
    message: z.string().describe('For people.'),
    errno: z
      .string()
      .exactOptional()
      .describe(
        'Of `storageFailed`: the errno name; for a log that others changed while it was open `DELETED`, `MOVED`, `REPLACED` or `CHANGED`.',
      ),
    passing: z.boolean().exactOptional().describe('Of `storageFailed`: it is tried again until `storageRestored`.'),
    conversationId: conversationId.exactOptional(),
  })
  .describe('A notice about the server or its disk, sent to every connected client.')

export type ConversationSummary = z.infer<typeof conversationSummary>
export type ListedConversation = z.infer<typeof listedConversation>

export const connectedClient = z
  .object({
    clientId,
    name: z.string(),
    title: z.string().describe('Name to show; no two connected clients have the same.'),
    user: userName.exactOptional().describe('User of its token.'),
    access: clientAccess,
    transport: z.string().describe('`stdio`, `socket`, `websocket` or `inProcess`.'),
    streams: z.int().describe('Number of conversations it streams.'),
    unreadBytes: z.int().describe('Bytes sent to it and not read yet; at most a few MiB, the rest waits in the log.'),
  })
  .describe('A client that is connected to this server.')

export const diagnostics = z
  .object({
    pid: z.int(),
    version: z.string(),
    build: z.string(),
    node: z.string(),
    platform: z.string(),
    home: z.string().describe('Folder the server keeps its conversations in.'),
    uptimeMs: z.number(),
    rssBytes: z.int(),
    enforcement: enforcement.describe('Enforcement of limits on the machine of this server.'),
    enforcementReason: z.string().describe('Mechanism that enforces limits, or the missing part and how to get it.'),
    addresses: z.array(z.string()).describe('Addresses of the server: paths of sockets, `ws://` addresses.'),
    clients: z.array(connectedClient),
    conversations: z.array(
      z.object({
        conversationId,
        activity: z.string(),
        clients: z.int().describe('Number of clients that stream it.'),
        detached: z.boolean().describe('Work in it goes on without clients.'),
        backgroundProcesses: z.int(),
        enforcementReason: z
          .string()
          .exactOptional()
          .describe('Mechanism that enforces limits in its environment, or the missing part.'),
      }),
    ),
    widerRules: z
      .array(z.object({ file: z.string(), line: z.int().exactOptional(), text: z.string() }))
      .exactOptional()
      .describe('Rules of policy.toml that give single commands rights beyond the sandbox.'),
    ignoredMessages: z.int().describe('Lines of this connection that were not understood or not expected.'),
  })
  .describe('Identity and state of a server.')

export type ConnectedClient = z.infer<typeof connectedClient>

export const listedProvider = z
  .object({
    id: z.string(),
    name: z.string(),
    wire: z.string().describe('`wire_api`.'),
    baseUrl: z.string().describe('Empty for a recording.'),
    origin: z.enum(['builtIn', 'configured']).describe('`configured`: in `[model_providers]`.'),
    variables: z.array(z.string()).describe('Variables that the key is read from, in this order.'),
    key: z.enum(['set', 'kept', 'missing', 'notNeeded']).describe('`kept`: by `login/start`.'),
    keyFrom: z.string().exactOptional().describe('Variable that holds the key. Its value is never sent.'),
    hasOAuth: z.literal(true).exactOptional().describe('It can be logged in to with a browser.'),
    chosen: z.boolean().describe('A new conversation would use this provider.'),
    defaultModel: z.string().exactOptional().describe('Model of a conversation that names none.'),
    models: z.int().exactOptional().describe('Number of models in its list, where one was kept.'),
    listedAt: z.number().exactOptional().describe('Time of that list, in ms since the epoch.'),
    package: z
      .object({ name: z.string(), installed: z.boolean() })
      .exactOptional()
      .describe('Package of the AI SDK that speaks with it, by `parley provider add`.'),
  })
  .describe('A model provider as `parley provider list` shows it.')
export type LeftFile = z.infer<typeof leftFile>
export type RewindPlan = z.infer<typeof rewindPlan>
export type ClientsChanged = z.infer<typeof clientsChanged>
export type ServerNotice = z.infer<typeof serverNotice>
