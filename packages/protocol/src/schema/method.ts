import * as z from 'zod'
import { cursor } from './cursor.ts'
import { diagnostics } from './diagnostics.ts'
import { conversationSummary, listedConversation } from './listed-conversation.ts'
import { methodParams } from './params.ts'
import { checkup, explainedCall, replayedCalls, testedCommand } from './policy.ts'
import { completedItem, conversationState } from './state.ts'
import { trustReport } from './trust.ts'

export const acknowledged = z
  .object({ seq: z.int().describe('The event that made it so.') })
  .describe('It is in the log.')

export const mcpServer = z
  .object({
    name: z.string().describe('Key of `[mcp_servers.X]`.'),
    state: z
      .enum(['starting', 'ready', 'failed', 'stopped'])
      .describe('`stopped`: configured, but not needed so far, disabled, or waiting to be started again.'),
    tools: z.array(z.string()).describe('Those it has that are not switched off, by its own names.'),
    error: z.string().exactOptional().describe('What went wrong last, and what to do.'),
    stderr: z.string().exactOptional().describe('The end of what it wrote there.'),
    restarts: z.int().describe('Times it was started again.'),
  })
  .describe('An MCP server as `/mcp` shows it.')

/** Everything a client may ask: name → parameters and result. The server's handler table is typed by it. */
export const methods = {
  initialize: {
    about: 'First request of a connection; then the client notifies `initialized`.',
    params: methodParams.initialize,
    result: z.object({
      protocolVersion: z.int().describe('The one both sides use from now on.'),
      serverInfo: z.object({ name: z.string(), version: z.string(), build: z.string() }),
      clientId: z.string().describe('This connection, as approvals and messages name it.'),
      home: z.string().describe('Folder the server keeps its conversations in.'),
      capabilities: z.array(z.string()).describe('What this server can do beyond the minimum.'),
    }),
  },
  'conversation/create': {
    about: 'A new conversation. Its log appears with the first message; until then it is neither listed nor resumable.',
    params: methodParams['conversation/create'],
    result: conversationSummary,
  },
  'conversation/resume': {
    about: 'Opens a conversation here and takes its writer lock; live elsewhere is -32010. Exactly one way to name it.',
    params: methodParams['conversation/resume'],
    result: conversationSummary,
  },
  'conversation/stream': {
    about:
      'State now, then `conversation/event` from there on, with no gap and no repeat. The reply leaves before the first event. The stream ends with `conversation/unstream`, and when a view of a conversation is opened anew.',
    params: methodParams['conversation/stream'],
    result: z.object({
      cursor: cursor.describe('Where `state`, or the last of `events`, stands; deliveries begin after it.'),
      state: conversationState
        .exactOptional()
        .describe(
          'Replaces what the client had; left out when the cursor was found. Its `window` has the newest items that fit in 8 MiB; `conversation/read` has the older ones.',
        ),
      events: z
        .array(z.unknown())
        .exactOptional()
        .describe('Delivered envelopes after the cursor that was given, oldest first; the rest are notified.'),
      reset: z.literal(true).exactOptional().describe('The cursor is not in the log: forget what you folded.'),
    }),
  },
  'conversation/unstream': {
    about:
      'Stops delivery to this client; the turn goes on. A conversation that no client streams any more and in which nothing runs is closed: resume it to go on. What was not saved, or is ephemeral, is then gone.',
    params: methodParams['conversation/unstream'],
    result: z.object({}),
  },
  'conversation/detach': {
    about:
      'Stops delivery to this client, as `unstream` does; what runs in it goes on after the last client has left, and the server leaves once it is done or waits for a person. Streaming it again takes this back.',
    params: methodParams['conversation/detach'],
    result: z.object({}),
  },
  'conversation/sendMessage': {
    about:
      'A message of the user. `now` starts a turn (or -32006), `queue` waits for the next, `steer` goes in after the current tool results.',
    params: methodParams['conversation/sendMessage'],
    result: z.object({
      turnId: z.string().nullable().describe('The turn it started or joins.'),
      disposition: z.enum(['started', 'queued', 'steering']).describe('What became of it.'),
      seq: z.int().describe('The event that made it so.'),
    }),
  },
  'conversation/inbox/edit': {
    about: 'Changes a waiting message.',
    params: methodParams['conversation/inbox/edit'],
    result: acknowledged,
  },
  'conversation/inbox/remove': {
    about: 'Takes a waiting message back.',
    params: methodParams['conversation/inbox/remove'],
    result: acknowledged,
  },
  'conversation/interrupt': {
    about: 'Stops the running turn; answers at once, also when idle.',
    params: methodParams['conversation/interrupt'],
    result: z.object({ interrupted: z.boolean().describe('False when nothing ran.') }),
  },
  'conversation/continue': {
    about: 'Lets a parked turn, or a paused inbox, go on.',
    params: methodParams['conversation/continue'],
    result: z.object({ continued: z.boolean().describe('False when nothing waited.') }),
  },
  'approval/decide': {
    about: 'Answers an approval. The first answer wins; a late one is -32005 and names who answered what.',
    params: methodParams['approval/decide'],
    result: acknowledged,
  },
  'conversation/fork': {
    about:
      'A new conversation from any point of this one: the same events up to `at`, what is open there settled, pending approvals withdrawn.',
    params: methodParams['conversation/fork'],
    result: conversationSummary,
  },
  'conversation/list': {
    about: 'Conversations, newest first.',
    params: methodParams['conversation/list'],
    result: z.object({
      conversations: z.array(listedConversation),
      nextCursor: z.string().nullable().describe('Null on the last page.'),
    }),
  },
  'conversation/read': {
    about: 'Completed items before a seq, oldest first.',
    params: methodParams['conversation/read'],
    result: z.object({ items: z.array(completedItem), more: z.boolean().describe('There are older ones.') }),
  },
  'conversation/readEvents': {
    about:
      'Events of a conversation that is open here, oldest first, as they are delivered: for a reader that lags, or wants what was before it came.',
    params: methodParams['conversation/readEvents'],
    result: z.object({
      events: z.array(z.unknown()).describe('Delivered envelopes.'),
      more: z.boolean().describe('There are newer ones.'),
    }),
  },
  'conversation/readFile': {
    about: 'A range of a side file.',
    params: methodParams['conversation/readFile'],
    result: z.object({
      base64: z.string(),
      totalBytes: z.int().describe('Of the whole file.'),
      nextOffset: z.int().nullable().describe('Null at the end.'),
    }),
  },
  'conversation/rename': {
    about: 'Names a conversation; the name resumes it.',
    params: methodParams['conversation/rename'],
    result: acknowledged,
  },
  'conversation/archive': {
    about: 'Takes it out of the list; nothing is deleted.',
    params: methodParams['conversation/archive'],
    result: acknowledged,
  },
  'conversation/unarchive': {
    about: 'Puts it back.',
    params: methodParams['conversation/unarchive'],
    result: acknowledged,
  },
  'conversation/delete': {
    about: 'Deletes the log and its side files. Refused while it is live elsewhere or a turn runs.',
    params: methodParams['conversation/delete'],
    result: z.object({}),
  },
  'conversation/configure': {
    about: 'Changes settings.',
    params: methodParams['conversation/configure'],
    result: acknowledged,
  },
  'conversation/runShell': {
    about: "Runs the user's own command, outside any sandbox, and records it.",
    params: methodParams['conversation/runShell'],
    result: z.object({
      itemId: z.string().describe('Of its `shellCommand` item.'),
      seq: z.int().describe('The event that made it so.'),
    }),
  },
  'model/list': {
    about: 'Models of the configured providers, and local servers that answer.',
    params: methodParams['model/list'],
    result: z.object({
      models: z.array(
        z.object({
          provider: z.string(),
          id: z.string(),
          current: z.boolean().describe('What a new conversation would use.'),
        }),
      ),
      problems: z
        .array(z.object({ provider: z.string(), message: z.string() }))
        .describe('Providers that could not be asked.'),
      local: z.array(
        z.object({ provider: z.string(), name: z.string(), baseUrl: z.string(), models: z.array(z.string()) }),
      ),
    }),
  },
  'config/read': {
    about: 'The effective configuration, each value with its origin.',
    params: methodParams['config/read'],
    result: z.object({
      values: z.array(
        z.object({ key: z.string(), value: z.unknown(), origin: z.string().describe('File, flag or `default`.') }),
      ),
      warnings: z.array(z.string()),
      credentials: z.object({
        found: z.boolean(),
        variables: z.array(z.string()).describe('Names looked for; never values.'),
      }),
    }),
  },
  'mcp/list': {
    about: 'The MCP servers of the conversations that are open here.',
    params: methodParams['mcp/list'],
    result: z.object({ servers: z.array(mcpServer) }),
  },
  'mcp/restart': {
    about:
      'Ends an MCP server and starts it anew; also one that failed. Its tools of then count from the next turn on.',
    params: methodParams['mcp/restart'],
    result: z.object({}),
  },
  'trust/read': {
    about: 'What the configuration of a project would do, and whether it may.',
    params: methodParams['trust/read'],
    result: trustReport,
  },
  'trust/decide': {
    about:
      'Trusts exactly this content of a project’s configuration, or declines it. New conversations go by it, open ones stay as they are.',
    params: methodParams['trust/decide'],
    result: trustReport,
  },
  'server/diagnostics': {
    about: 'What this server is and how it is doing.',
    params: methodParams['server/diagnostics'],
    result: diagnostics,
  },
  'server/checkup': {
    about: 'Whether what parley needs is there and sound; reads, and changes nothing.',
    params: methodParams['server/checkup'],
    result: checkup,
  },
  'policy/test': {
    about: 'What would be decided about a command. Its facts are gathered on disk; nothing is run.',
    params: methodParams['policy/test'],
    result: testedCommand,
  },
  'policy/replay': {
    about:
      'Decides every call of a conversation again, from the facts stored with it: what was said then, what would be said now.',
    params: methodParams['policy/replay'],
    result: replayedCalls,
  },
  'policy/why': {
    about: 'Why a call was run, asked about or denied, from what is stored of it.',
    params: methodParams['policy/why'],
    result: explainedCall,
  },
} as const

/** What the server sends unasked. */
export const notifications = {
  'conversation/event': 'An envelope: see Events. `model.responded` comes elided.',
  'server/notice':
    'Connection level: `{level, code, message, errno?, conversationId?}`. Not state; what cannot be logged is never passed off as an event.',
} as const

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
    conversationId: z.string().exactOptional(),
  })
  .describe('Something about the server or its disk, said to everyone connected.')

export type Methods = {
  [Name in keyof typeof methods]: {
    params: z.infer<(typeof methods)[Name]['params']>
    result: z.infer<(typeof methods)[Name]['result']>
  }
}
export type MethodName = keyof Methods
export type ParamsOf<Name extends MethodName> = Methods[Name]['params']
export type ResultOf<Name extends MethodName> = Methods[Name]['result']
export type McpServer = z.infer<typeof mcpServer>
export type ServerNotice = z.infer<typeof serverNotice>
