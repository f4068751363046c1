import { z } from 'zod'
import { decision } from './approval.ts'
import { inputItem } from './input.ts'
import { sideFile } from './item.ts'
import { approvalPolicy, sandboxMode, sandboxTier, settings, settingsPatch } from './settings.ts'
import { completedItem, conversationState, cursor } from './state.ts'

const conversationId = z.string().min(1).describe('Full id.')
const byId = z.object({ conversationId })
const acknowledged = z.object({ seq: z.int().describe('The event that made it so.') })

const overrides = z
  .object({
    cwd: z.string().exactOptional(),
    model: z.string().exactOptional(),
    modelProvider: z.string().exactOptional(),
    effort: z.string().exactOptional(),
    approvalPolicy: approvalPolicy.exactOptional(),
    sandbox: sandboxMode.exactOptional(),
    profile: z.string().exactOptional(),
    policyFile: z
      .string()
      .exactOptional()
      .describe('Rules file (TOML); its answers outrank the user’s own rules only where they are stricter.'),
    addDirs: z.array(z.string()).exactOptional(),
    config: z.record(z.string(), z.unknown()).exactOptional().describe('Config keys, as `-c key=value` gives them.'),
  })
  .describe('What the caller sets itself; the rest comes from config files and defaults.')

export const conversationSummary = z.object({
  conversationId: z.string(),
  shortId: z.string().describe('Last 8 hex digits; `resume` takes it.'),
  cwd: z.string(),
  title: z.string(),
  name: z.string().nullable(),
  createdAt: z.number(),
  updatedAt: z.number(),
  settings,
  activity: z
    .enum(['idle', 'running', 'waiting', 'parked'])
    .describe('`waiting`: an approval is pending and its turn is live here.'),
  turns: z.int(),
  archived: z.boolean(),
  forkedFrom: z.object({ id: z.string(), seq: z.int() }).nullable(),
  readOnly: z.boolean(),
  recovered: z.string().nullable().describe('One line, when opening it had to settle what a crash left.'),
  instructionFiles: z.array(z.string()),
  warnings: z.array(z.string()),
})

export const listedConversation = z.object({
  conversationId: z.string(),
  shortId: z.string(),
  cwd: z.string(),
  title: z.string(),
  name: z.string().nullable(),
  createdAt: z.number(),
  updatedAt: z.number(),
  archived: z.boolean(),
  live: z.object({ pid: z.int() }).nullable().describe('The process that holds its writer lock, if any.'),
})

/** Everything a client may ask: name → parameters and result. The server's handler table is typed by it. */
export const methods = {
  initialize: {
    about: 'First request of a connection; then the client notifies `initialized`.',
    params: z.object({
      protocolVersion: z.object({ min: z.int(), max: z.int() }),
      clientInfo: z.object({ name: z.string(), title: z.string().exactOptional(), version: z.string() }),
      capabilities: z.array(z.string()).exactOptional().describe('`approvals`: this client can answer them.'),
    }),
    result: z.object({
      protocolVersion: z.int(),
      serverInfo: z.object({ name: z.string(), version: z.string(), build: z.string() }),
      clientId: z.string(),
      home: z.string(),
      capabilities: z.array(z.string()),
    }),
  },
  'conversation/create': {
    about: 'A new conversation. Its log appears with the first message; until then it is neither listed nor resumable.',
    params: z.object({
      ...overrides.shape,
      cwd: z.string(),
      baseInstructions: z.string().exactOptional(),
      ephemeral: z.boolean().exactOptional().describe('Keep nothing after the server ends.'),
      requestKey: z.string().exactOptional().describe('A repeat with the same key returns the first result.'),
    }),
    result: conversationSummary,
  },
  'conversation/resume': {
    about: 'Opens a conversation here and takes its writer lock; live elsewhere is -32010. Exactly one way to name it.',
    params: z.object({
      conversationId: z.string().exactOptional(),
      prefix: z.string().exactOptional().describe('Unique prefix or suffix of an id, or a name.'),
      last: z.boolean().exactOptional().describe('The one updated last (in `cwd`, when given).'),
      cwd: z.string().exactOptional(),
      readOnly: z.boolean().exactOptional().describe('A view without the lock; nothing can be sent.'),
      overrides: overrides.exactOptional(),
    }),
    result: conversationSummary,
  },
  'conversation/stream': {
    about:
      'State now, then `conversation/event` from there on, with no gap and no repeat. The reply leaves before the first event.',
    params: z.object({ conversationId, after: cursor.exactOptional() }),
    result: z.object({
      cursor,
      state: conversationState.exactOptional(),
      events: z
        .array(z.unknown())
        .exactOptional()
        .describe('Envelopes after the cursor, when that is smaller than the state.'),
      reset: z.literal(true).exactOptional().describe('The cursor is not in the log: forget what you folded.'),
    }),
  },
  'conversation/unstream': {
    about: 'Stops delivery to this client; the turn goes on.',
    params: byId,
    result: z.object({}),
  },
  'conversation/sendMessage': {
    about:
      'A message of the user. `now` starts a turn (or -32006), `queue` waits for the next, `steer` goes in after the current tool results.',
    params: z.object({
      conversationId,
      input: z.array(inputItem).min(1),
      messageId: z.string().exactOptional(),
      when: z.enum(['now', 'queue', 'steer']).exactOptional(),
      overrides: settingsPatch.exactOptional().describe('Only with `now`.'),
    }),
    result: z.object({
      turnId: z.string().nullable(),
      disposition: z.enum(['started', 'queued', 'steering']),
      seq: z.int(),
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
    params: z.object({ conversationId, turnId: z.string().exactOptional() }),
    result: z.object({ interrupted: z.boolean() }),
  },
  'conversation/continue': {
    about: 'Lets a parked turn, or a paused inbox, go on.',
    params: byId,
    result: z.object({ continued: z.boolean() }),
  },
  'approval/decide': {
    about: 'Answers an approval. The first answer wins; a late one is -32005 and names who answered what.',
    params: z.object({ conversationId, approvalId: z.string(), decision, note: z.string().exactOptional() }),
    result: acknowledged,
  },
  'conversation/fork': {
    about:
      'A new conversation from any point of this one: the same events up to `at`, what is open there settled, pending approvals declined.',
    params: z.object({ conversationId, at: z.int().min(1).exactOptional() }),
    result: conversationSummary,
  },
  'conversation/list': {
    about: 'Conversations, newest first.',
    params: z.object({
      cursor: z.string().exactOptional(),
      limit: z.int().min(1).max(1000).exactOptional(),
      cwd: z.string().exactOptional(),
      archived: z.boolean().exactOptional(),
    }),
    result: z.object({ conversations: z.array(listedConversation), nextCursor: z.string().nullable() }),
  },
  'conversation/read': {
    about: 'Completed items before a seq, oldest first.',
    params: z.object({
      conversationId,
      before: z.int().exactOptional(),
      limit: z.int().min(1).max(1000).exactOptional(),
    }),
    result: z.object({ items: z.array(completedItem), more: z.boolean() }),
  },
  'conversation/readFile': {
    about: 'A range of a side file.',
    params: z.object({
      conversationId,
      file: sideFile,
      offset: z.int().min(0).exactOptional(),
      limit: z
        .int()
        .min(1)
        .max(1 << 20)
        .exactOptional(),
    }),
    result: z.object({ base64: z.string(), totalBytes: z.int(), nextOffset: z.int().nullable() }),
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
    result: z.object({ itemId: z.string(), seq: z.int() }),
  },
  'model/list': {
    about: 'Models of the configured providers, and local servers that answer.',
    params: z.object({ cwd: z.string().exactOptional() }),
    result: z.object({
      models: z.array(z.object({ provider: z.string(), id: z.string(), current: z.boolean() })),
      problems: z.array(z.object({ provider: z.string(), message: z.string() })),
      local: z.array(
        z.object({ provider: z.string(), name: z.string(), baseUrl: z.string(), models: z.array(z.string()) }),
      ),
    }),
  },
  'config/read': {
    about: 'The effective configuration, each value with its origin.',
    params: z.object({ ...overrides.shape, cwd: z.string() }),
    result: z.object({
      values: z.array(z.object({ key: z.string(), value: z.unknown(), origin: z.string() })),
      warnings: z.array(z.string()),
      credentials: z.object({
        found: z.boolean(),
        variables: z.array(z.string()).describe('Names looked for; never values.'),
      }),
    }),
  },
  'server/diagnostics': {
    about: 'What this server is and how it is doing.',
    params: z.object({}),
    result: z.object({
      pid: z.int(),
      version: z.string(),
      build: z.string(),
      node: z.string(),
      platform: z.string(),
      home: z.string(),
      uptimeMs: z.number(),
      rssBytes: z.int(),
      tier: sandboxTier,
      tierReason: z.string(),
      conversations: z.array(
        z.object({ conversationId: z.string(), activity: z.string(), clients: z.int(), backgroundProcesses: z.int() }),
      ),
      ignoredMessages: z.int(),
    }),
  },
} as const

/** What the server sends unasked. */
export const notifications = {
  'conversation/event': 'An envelope: see Events. `model.responded` comes elided.',
  'server/notice':
    'Connection level: `{level, code, message, conversationId?}`. Not state; what cannot be logged is never passed off as an event.',
} as const

export const serverNotice = z.object({
  level: z.enum(['info', 'warning', 'error']),
  code: z.string(),
  message: z.string(),
  conversationId: z.string().exactOptional(),
})

export type Methods = {
  [Name in keyof typeof methods]: {
    params: z.infer<(typeof methods)[Name]['params']>
    result: z.infer<(typeof methods)[Name]['result']>
  }
}
export type MethodName = keyof Methods
export type ParamsOf<Name extends MethodName> = Methods[Name]['params']
export type ResultOf<Name extends MethodName> = Methods[Name]['result']
export type ConversationSummary = z.infer<typeof conversationSummary>
export type ListedConversation = z.infer<typeof listedConversation>
export type Overrides = z.infer<typeof overrides>
export type ServerNotice = z.infer<typeof serverNotice>
