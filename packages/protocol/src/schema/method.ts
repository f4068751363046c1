import * as z from 'zod'
import { answers, decision } from './approval.ts'
import { clientAccess, diagnostics } from './diagnostics.ts'
import { inputItem, outputSchema } from './input.ts'
import { conversationSummary, listedConversation } from './listed-conversation.ts'
import { approvalPolicy, sandboxMode, settingsPatch } from './settings.ts'
import { sideFile } from './side-file.ts'
import { completedItem, conversationState, cursor } from './state.ts'

const conversationId = z.string().min(1).describe('Full id.')
export const byId = z.object({ conversationId })
export const acknowledged = z
  .object({ seq: z.int().describe('The event that made it so.') })
  .describe('It is in the log.')

const overrides = z
  .object({
    cwd: z.string().exactOptional().describe('Absolute path.'),
    model: z.string().exactOptional(),
    modelProvider: z.string().exactOptional(),
    effort: z.string().exactOptional(),
    approvalPolicy: approvalPolicy.exactOptional(),
    sandbox: sandboxMode.exactOptional(),
    profile: z.string().exactOptional().describe('A named set of config values.'),
    policyFile: z
      .string()
      .exactOptional()
      .describe('Rules file (TOML); its answers outrank the user’s own rules only where they are stricter.'),
    environment: z.string().exactOptional().describe('Work on the machine of this `[environments.X]`.'),
    environmentCwd: z
      .string()
      .exactOptional()
      .describe('Folder there; its configured `cwd` unless told. Ignored without an environment.'),
    addDirs: z.array(z.string()).exactOptional().describe('Folders besides `cwd` that may be written to.'),
    config: z.record(z.string(), z.unknown()).exactOptional().describe('Config keys, as `-c key=value` gives them.'),
  })
  .describe('What the caller sets itself; the rest comes from config files and defaults.')

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
    params: z.object({
      protocolVersion: z
        .object({ min: z.int(), max: z.int() })
        .describe('The versions this client speaks; the highest common one is used.'),
      clientInfo: z
        .object({ name: z.string(), title: z.string().exactOptional(), version: z.string() })
        .describe('`title`, else `name`, is what others see as the author of its messages and decisions.'),
      capabilities: z.array(z.string()).exactOptional().describe('`approvals`: this client can answer them.'),
      access: clientAccess.exactOptional().describe('Default `full`.'),
    }),
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
    params: z.object({
      ...overrides.shape,
      cwd: z.string().describe('Absolute path of the folder to work in.'),
      baseInstructions: z.string().exactOptional().describe('Instead of the built-in instructions to the model.'),
      ephemeral: z.boolean().exactOptional().describe('Keep nothing after the server ends.'),
      requestKey: z
        .string()
        .exactOptional()
        .describe('A repeat with the same key returns the first result, while that conversation is open.'),
    }),
    result: conversationSummary,
  },
  'conversation/resume': {
    about: 'Opens a conversation here and takes its writer lock; live elsewhere is -32010. Exactly one way to name it.',
    params: z.object({
      conversationId: z.string().exactOptional(),
      prefix: z.string().exactOptional().describe('Unique prefix or suffix of an id, or a name.'),
      last: z.boolean().exactOptional().describe('The one updated last (in `cwd`, when given).'),
      cwd: z.string().exactOptional().describe('For `last`: prefer one of this folder.'),
      readOnly: z.boolean().exactOptional().describe('A view without the lock; nothing can be sent.'),
      overrides: overrides.exactOptional(),
    }),
    result: conversationSummary,
  },
  'conversation/stream': {
    about:
      'State now, then `conversation/event` from there on, with no gap and no repeat. The reply leaves before the first event. The stream ends with `conversation/unstream`, and when a view of a conversation is opened anew.',
    params: z.object({
      conversationId,
      after: cursor.exactOptional().describe('The last event this client has; left out for a first attachment.'),
    }),
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
    params: byId,
    result: z.object({}),
  },
  'conversation/detach': {
    about:
      'Stops delivery to this client, as `unstream` does; what runs in it goes on after the last client has left, and the server leaves once it is done or waits for a person. Streaming it again takes this back.',
    params: byId,
    result: z.object({}),
  },
  'conversation/sendMessage': {
    about:
      'A message of the user. `now` starts a turn (or -32006), `queue` waits for the next, `steer` goes in after the current tool results.',
    params: z.object({
      conversationId,
      input: z.array(inputItem).min(1),
      messageId: z
        .string()
        .exactOptional()
        .describe('A UUID of the client; sent again, the first result comes back and nothing is sent twice.'),
      when: z.enum(['now', 'queue', 'steer']).exactOptional().describe('Default `now`.'),
      overrides: settingsPatch.exactOptional().describe('Only with `now`.'),
      outputSchema: outputSchema.exactOptional().describe('For the turn it starts; not with `steer`.'),
    }),
    result: z.object({
      turnId: z.string().nullable().describe('The turn it started or joins.'),
      disposition: z.enum(['started', 'queued', 'steering']).describe('What became of it.'),
      seq: z.int().describe('The event that made it so.'),
    }),
  },
  'conversation/inbox/edit': {
    about: 'Changes a waiting message.',
    params: z.object({ conversationId, messageId: z.string(), content: z.array(inputItem).min(1) }),
    result: acknowledged,
  },
  'conversation/inbox/remove': {
    about: 'Takes a waiting message back.',
    params: z.object({ conversationId, messageId: z.string() }),
    result: acknowledged,
  },
  'conversation/interrupt': {
    about: 'Stops the running turn; answers at once, also when idle.',
    params: z.object({
      conversationId,
      turnId: z.string().exactOptional().describe('Only this turn; another one running is -32006.'),
    }),
    result: z.object({ interrupted: z.boolean().describe('False when nothing ran.') }),
  },
  'conversation/continue': {
    about: 'Lets a parked turn, or a paused inbox, go on.',
    params: byId,
    result: z.object({ continued: z.boolean().describe('False when nothing waited.') }),
  },
  'approval/decide': {
    about: 'Answers an approval. The first answer wins; a late one is -32005 and names who answered what.',
    params: z.object({
      conversationId,
      approvalId: z.string(),
      decision,
      note: z.string().exactOptional().describe('For the model, with a no: what to do instead.'),
      answers: answers
        .exactOptional()
        .describe('To the form of an `elicitation`, with `approved`; one that does not fit is -32602 and names it.'),
    }),
    result: acknowledged,
  },
  'conversation/fork': {
    about:
      'A new conversation from any point of this one: the same events up to `at`, what is open there settled, pending approvals declined.',
    params: z.object({
      conversationId,
      at: z.int().min(1).exactOptional().describe('Seq of the last event to take over; default the newest.'),
    }),
    result: conversationSummary,
  },
  'conversation/list': {
    about: 'Conversations, newest first.',
    params: z.object({
      cursor: z.string().exactOptional().describe('`nextCursor` of the page before.'),
      limit: z.int().min(1).max(1000).exactOptional().describe('Default 50.'),
      cwd: z.string().exactOptional().describe('Only those of this folder.'),
      archived: z.boolean().exactOptional().describe('Those put away instead of the others.'),
    }),
    result: z.object({
      conversations: z.array(listedConversation),
      nextCursor: z.string().nullable().describe('Null on the last page.'),
    }),
  },
  'conversation/read': {
    about: 'Completed items before a seq, oldest first.',
    params: z.object({
      conversationId,
      before: z.int().exactOptional().describe('Only items completed before this seq; default all.'),
      limit: z
        .int()
        .min(1)
        .max(1000)
        .exactOptional()
        .describe('The newest so many of them, fewer when they would exceed 8 MiB; default 100.'),
    }),
    result: z.object({ items: z.array(completedItem), more: z.boolean().describe('There are older ones.') }),
  },
  'conversation/readEvents': {
    about:
      'Events of a conversation that is open here, oldest first, as they are delivered: for a reader that lags, or wants what was before it came.',
    params: z.object({
      conversationId,
      after: z
        .object({ seq: cursor.shape.seq, crc: cursor.shape.crc.exactOptional() })
        .describe('The last event the reader has. With its `crc`, -32602 says that the log does not hold that event.'),
      limit: z.int().min(1).max(1000).exactOptional().describe('At most so many, fewer beyond 8 MiB; default 500.'),
    }),
    result: z.object({
      events: z.array(z.unknown()).describe('Delivered envelopes.'),
      more: z.boolean().describe('There are newer ones.'),
    }),
  },
  'conversation/readFile': {
    about: 'A range of a side file.',
    params: z.object({
      conversationId,
      file: sideFile,
      offset: z.int().min(0).exactOptional().describe('Bytes; default 0.'),
      limit: z
        .int()
        .min(1)
        .max(1 << 20)
        .exactOptional()
        .describe('Bytes.'),
    }),
    result: z.object({
      base64: z.string(),
      totalBytes: z.int().describe('Of the whole file.'),
      nextOffset: z.int().nullable().describe('Null at the end.'),
    }),
  },
  'conversation/rename': {
    about: 'Names a conversation; the name resumes it.',
    params: z.object({ conversationId, name: z.string().max(200) }),
    result: acknowledged,
  },
  'conversation/archive': {
    about: 'Takes it out of the list; nothing is deleted.',
    params: byId,
    result: acknowledged,
  },
  'conversation/unarchive': { about: 'Puts it back.', params: byId, result: acknowledged },
  'conversation/delete': {
    about: 'Deletes the log and its side files. Refused while it is live elsewhere or a turn runs.',
    params: byId,
    result: z.object({}),
  },
  'conversation/configure': {
    about: 'Changes settings.',
    params: z.object({ conversationId, settings: settingsPatch }),
    result: acknowledged,
  },
  'conversation/runShell': {
    about: "Runs the user's own command, outside any sandbox, and records it.",
    params: z.object({ conversationId, command: z.string().min(1) }),
    result: z.object({
      itemId: z.string().describe('Of its `shellCommand` item.'),
      seq: z.int().describe('The event that made it so.'),
    }),
  },
  'model/list': {
    about: 'Models of the configured providers, and local servers that answer.',
    params: z.object({ cwd: z.string().exactOptional() }),
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
    params: z.object({ ...overrides.shape, cwd: z.string() }),
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
    params: z.object({}),
    result: z.object({ servers: z.array(mcpServer) }),
  },
  'mcp/restart': {
    about:
      'Ends an MCP server and starts it anew; also one that failed. Its tools of then count from the next turn on.',
    params: z.object({ name: z.string().describe('Key of `[mcp_servers.X]`.') }),
    result: z.object({}),
  },
  'server/diagnostics': {
    about: 'What this server is and how it is doing.',
    params: z.object({}),
    result: diagnostics,
  },
} as const

/** What the server sends unasked. */
export const notifications = {
  'conversation/event': 'An envelope: see Events. `model.responded` comes elided.',
  'server/notice':
    'Connection level: `{level, code, message, conversationId?}`. Not state; what cannot be logged is never passed off as an event.',
} as const

export const serverNotice = z
  .object({
    level: z.enum(['info', 'warning', 'error']),
    code: z.string().describe('Stable, for programs.'),
    message: z.string().describe('For people.'),
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
export type Overrides = z.infer<typeof overrides>
export type ServerNotice = z.infer<typeof serverNotice>
