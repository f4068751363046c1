import * as z from 'zod'
import { person } from '../access.ts'
import { deliveredEnvelope } from '../event.ts'
import { clientId, itemId, turnId } from '../ids.ts'
import { itemStatus } from '../item.ts'
import { cursor, methodParams } from '../params/params.ts'
import { completedItem, conversationState, pastTurn } from '../state.ts'
import {
  changedText,
  contextUse,
  conversationSummary,
  diagnostics,
  listedConversation,
  mcpServer,
  rewindPlan,
  storageTrouble,
  usageSums,
} from '../summaries.ts'
import { bundleMethods } from './bundle-methods.ts'
import { environmentMethods } from './environment-methods.ts'
import { loginMethods } from './login-methods.ts'
import { memoryMethods } from './memory-methods.ts'
import { peopleMethods } from './people-methods.ts'
import { policyMethods } from './policy-methods.ts'
import { processMethods } from './process-methods.ts'
import { providerMethods } from './provider-methods.ts'
import { searchMethods } from './search-methods.ts'
import { skillMethods } from './skill-methods.ts'

export const acknowledged = z
  .object({ seq: z.int().describe('Seq of the event that recorded it.') })
  .describe('The change is in the log.')

const results = {
  initialize: {
    about: 'First request of a connection; then the client notifies `initialized`.',
    result: z.object({
      protocolVersion: z.int().describe('Version both sides use from now on.'),
      serverInfo: z.object({ name: z.string(), version: z.string(), build: z.string() }),
      clientId: clientId.describe('Id of this connection, as approvals and messages name it.'),
      home: z.string().describe('Folder the server keeps its conversations in.'),
      capabilities: z
        .array(z.string())
        .describe('Optional abilities of this server; `safe` where it was started with `--safe`.'),
      person: person.exactOptional(),
    }),
  },
  'conversation/create': {
    about:
      'Creates a conversation. Its log appears with the first message; until then it is neither listed nor resumable.',
    result: conversationSummary,
  },
  'conversation/resume': {
    about:
      'Opens a conversation here and takes its writer lock; one that is live elsewhere is -32010. Give exactly one of `conversationId`, `prefix` and `last`.',
    result: conversationSummary,
  },
  'conversation/stream': {
    about:
      'Returns the state, then sends `conversation/event` from there on, without gap or repeat. The reply leaves before the first event. The stream ends with `conversation/unstream`, and when a view of a conversation is opened anew.',
    result: z.object({
      cursor: cursor.describe('Position of `state`, or of the last of `events`; deliveries begin after it.'),
      state: conversationState
        .exactOptional()
        .describe(
          'Replaces the state of the client; left out when the cursor was found. Its `window` has the newest items that fit in 8 MiB; `conversation/read` has the older ones.',
        ),
      events: z
        .array(deliveredEnvelope)
        .exactOptional()
        .describe('Delivered envelopes after the given cursor, oldest first; the rest come as notifications.'),
      reset: z.literal(true).exactOptional().describe('The cursor is not in the log: discard the state made so far.'),
    }),
  },
  'conversation/unstream': {
    about:
      'Stops delivery to this client; the turn continues. An idle conversation that no client streams any more is closed: resume it to continue. Unsaved and ephemeral conversations are then lost.',
    result: z.object({}),
  },
  'conversation/detach': {
    about:
      'Stops delivery to this client, as `unstream` does. Running work goes on after the last client has left, and the server exits once it is done or waits for a person. Streaming it again takes this back.',
    result: z.object({}),
  },
  'conversation/sendMessage': {
    about:
      'Sends a message of the user. `now` starts a turn (or -32006), `queue` waits for the next, `steer` goes in after the current tool results.',
    result: z.object({
      turnId: turnId.nullable().describe('The turn it started or joins.'),
      disposition: z.enum(['started', 'queued', 'steering']).describe('Result for the message.'),
      seq: z.int().describe('Seq of the event that recorded it.'),
    }),
  },
  'conversation/inbox/edit': {
    about: 'Changes a waiting message.',
    result: acknowledged,
  },
  'conversation/inbox/remove': {
    about: 'Takes a waiting message back.',
    result: acknowledged,
  },
  ...processMethods,
  'conversation/continue': {
    about: 'Lets a parked turn, or a paused inbox, go on.',
    result: z.object({ continued: z.boolean().describe('False when nothing waited.') }),
  },
  'conversation/retryNow': {
    about: 'Ends the wait before a retry: the model is asked again at once.',
    result: z.object({ retried: z.boolean().describe('False when no retry waited.') }),
  },
  'approval/decide': {
    about:
      'Answers an approval. The first answer wins; a late one is -32005 and names the first answer and its author.',
    result: acknowledged,
  },
  'conversation/compact': {
    about:
      "Compacts the model's view: a summary and the carried words replace the conversation so far. Runs in a turn of its own, or at the next safe point of the open one; `conversation/interrupt` stops it.",
    result: z.object({
      turnId: turnId.describe('The turn it runs in.'),
      itemId: itemId.describe('Id of its `contextCompaction` item.'),
      seq: z.int().describe('Seq of the event that recorded it.'),
    }),
  },
  'conversation/context/leaveOut': {
    about:
      "Leaves the refused items out of the model's view, and continues in a turn without a message. Calls go with their results; clients still see everything. `conversation/compact/undo` brings the items back. -32602 without named items and `half`, and, without `itemIds`, if the last turn did not end in such a refusal.",
    result: z.object({
      turnId: turnId.describe('The turn that goes on.'),
      seq: z.int().describe('Seq of its `context.cleared`.'),
      itemIds: z.array(itemId).describe('Items that were left out.'),
    }),
  },
  'conversation/compact/undo': {
    about:
      'Undoes the newest compaction that holds. -32602 with `tokens` and `contextWindow` when the conversation would not fit the window then.',
    result: z.object({
      seq: z.int().describe('Seq of the event that recorded it.'),
      tokens: z.int().describe('Estimated tokens of the next request.'),
    }),
  },
  'conversation/rewind/plan': {
    about:
      'Plans to restore files to their state after an event, by undoing later changes of model calls and rewinds. Changes nothing.',
    result: rewindPlan,
  },
  'conversation/rewind': {
    about:
      'Restores files as planned, either all or nothing, in a `fileChange` item with `rewind`, which a rewind to before it undoes. -32005 `planChanged` when the files have changed since the plan; -32006 while a turn is open; -32007 when the policy denies it.',
    result: z.object({
      itemId: itemId.describe('Id of its `fileChange` item.'),
      seq: z.int().describe('Seq of the event before it: a rewind to it undoes this one.'),
      status: itemStatus.describe('`completed`, or `failed` with no file changed.'),
    }),
  },
  'conversation/fork': {
    about:
      'Creates a conversation from any point of this one: it has the same events up to `at`, open turns and items are settled, and pending approvals are withdrawn.',
    result: conversationSummary,
  },
  'conversation/rescue': {
    about:
      "Saves a conversation that is open on a server as a new one, from the server's memory and its open file, even if the log is lost. Fails with `liveElsewhere` if another server has it: send it there.",
    result: conversationSummary,
  },
  ...bundleMethods,
  'conversation/list': {
    about: 'Lists conversations, newest first.',
    result: z.object({
      conversations: z.array(listedConversation),
      nextCursor: z.string().nullable().describe('Null on the last page.'),
    }),
  },
  ...searchMethods,
  ...memoryMethods,
  ...peopleMethods,
  'conversation/read': {
    about: 'Reads completed items before a seq, oldest first.',
    result: z.object({
      items: z.array(completedItem),
      more: z.boolean().describe('There are older ones.'),
      storage: storageTrouble.exactOptional(),
    }),
  },
  'conversation/turns': {
    about: 'Looks up past turns, oldest first; the open one is the last.',
    result: z.object({ turns: z.array(pastTurn), more: z.boolean().describe('There are older ones.') }),
  },
  'conversation/readChange': {
    about:
      'Reads the old and the new text of the files of a change, for clients that show more than a diff. Secrets are redacted as in the diff.',
    result: z.object({ files: z.array(changedText) }),
  },
  'conversation/readEvents': {
    about:
      'Reads events of a conversation that is open here, oldest first, as they are delivered: for a client that lags, or needs earlier events.',
    result: z.object({
      events: z.array(deliveredEnvelope).describe('Delivered envelopes.'),
      more: z.boolean().describe('There are newer ones.'),
    }),
  },
  'conversation/readFile': {
    about: 'Reads a range of a side file.',
    result: z.object({
      base64: z.string(),
      totalBytes: z.int().describe('Bytes of the whole file.'),
      nextOffset: z.int().nullable().describe('Null at the end.'),
    }),
  },
  'conversation/rename': {
    about: 'Names a conversation; the name resumes it.',
    result: acknowledged,
  },
  'conversation/archive': {
    about: 'Takes a conversation out of the list; nothing is deleted.',
    result: acknowledged,
  },
  'conversation/unarchive': {
    about: 'Puts a conversation back into the list.',
    result: acknowledged,
  },
  'conversation/delete': {
    about:
      'Deletes the log and its side files. Rejected while the conversation is live elsewhere or a turn runs. `storageFailed` says if it is gone from every list: then what is left of it is removed at the next start.',
    result: z.object({}),
  },
  'conversation/configure': {
    about: 'Changes settings.',
    result: acknowledged,
  },
  'conversation/runShell': {
    about: "Runs the user's own command, outside any sandbox, and records it.",
    result: z.object({
      itemId: itemId.describe('Id of its `shellCommand` item.'),
      seq: z.int().describe('Seq of the event that recorded it.'),
    }),
  },
  ...providerMethods,
  'config/write': {
    about: "Sets one value in the user's config.toml.",
    result: z.object({ file: z.string().describe('Path of the file.') }),
  },
  'config/read': {
    about:
      'Returns the effective configuration, each value with its origin. Users of a server get the values that they could set for a conversation.',
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
  ...loginMethods,
  'conversation/context': {
    about: 'Returns the parts that fill the context window in the next request of a conversation that is open here.',
    result: contextUse,
  },
  'conversation/findFiles': {
    about: 'Finds files in the folder of an open conversation by a part of their path, to complete it in a message.',
    result: z.object({
      paths: z
        .array(z.string())
        .describe('At most 50, the best first; folders end in a slash. Ignored files are left out.'),
      isWhole: z.boolean().describe('False when there are more files than were looked at.'),
    }),
  },
  'usage/read': {
    about: 'Sums tokens and cost over all conversations that are kept.',
    result: usageSums,
  },
  'mcp/list': {
    about: 'Lists the MCP servers of the conversations that are open here.',
    result: z.object({ servers: z.array(mcpServer) }),
  },
  'mcp/restart': {
    about: 'Restarts an MCP server, also one that failed. Its new list of tools counts from the next turn on.',
    result: z.object({}),
  },
  'web/open': {
    about:
      'Makes a link to the page of this server in a browser of this machine; the first one starts its listener, on loopback. A link can be opened once.',
    result: z.object({
      url: z.string().describe('Address with a code in its fragment. Its first visitor is admitted.'),
      expiresAt: z.number().describe('End of the link, in ms since the epoch.'),
    }),
  },
  'server/diagnostics': {
    about: 'Returns the identity and state of this server.',
    result: diagnostics,
  },
  ...policyMethods,
  ...skillMethods,
  ...environmentMethods,
} as const satisfies Record<keyof typeof methodParams, { readonly about: string; readonly result: z.ZodType }>

/** Methods of the protocol: name → parameters and result. The server's handler table is typed by it. */
export const methods = withParams(results)

type WithParams = {
  readonly [Name in keyof typeof results]: (typeof results)[Name] & { readonly params: (typeof methodParams)[Name] }
}

function withParams(described: typeof results): WithParams {
  const entries = Object.entries(described).map(([name, one]) => [
    name,
    { ...one, params: Reflect.get(methodParams, name) },
  ])
  return Object.fromEntries(entries) as WithParams // narrowed: both tables have the same keys
}

/** Notifications of the server: name → description. */
export const notifications = {
  'conversation/event': 'An envelope: see Events. `model.responded` comes elided.',
  'conversation/clientsChanged':
    'How many clients stream the conversation, to each that does: when its stream has begun, and when the number changes. It is not logged.',
  'conversation/listChanged':
    'The list of conversations may be another, by whatever process: at once, then every 2 s at most, to clients that asked by `follow` of `conversation/list`.',
  'server/notice':
    'A notice to the connection: `{level, code, message, errno?, conversationId?}`. It is not part of any state and is not logged.',
  'login/completed':
    'End of an attempt to log in, to every client that may use `login/start`: `{loginId, provider, mcpServer, success, code, error, keptIn, variable}`. An MCP client gets `loginChatGptComplete {loginId, success, error}`.',
} as const

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
