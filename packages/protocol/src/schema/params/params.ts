import * as z from 'zod'
import { clientAccess } from '../access.ts'
import { conversationId as anyConversationId, approvalId, itemId, messageId, type requestKey } from '../ids.ts'
import { answers, decision, inputItem, sessionScope, sideFile, turnOptions } from '../input.ts'
import { chosenSettings, jsonBytes, most, overrides, path, textUpTo, turnOverrides } from '../settings.ts'
import { environment, hookParams } from './hook-params.ts'
import { memoryParams } from './memory-params.ts'
import { peopleParams } from './people-params.ts'
import { oneConversation, policyParams } from './policy-params.ts'
import { processParams } from './process-params.ts'

export const cursor = z
  .object({ seq: z.int().min(0), crc: z.string().nullable() })
  .describe('The last event folded: its `seq` and `crc`. `{seq: 0, crc: null}` is before the first.')

const trustVerdict = z
  .enum(['trusted', 'declined'])
  .describe('`declined`: the configuration has no effect, and it is not mentioned again until it changes.')

const conversationId: typeof anyConversationId = z.string().min(1).describe('Full id.')
const provider = z.string().min(1).describe('Id of the provider, such as `openai`.')
const mcpName = z.string().min(1).describe('Key of `[mcp_servers.X]`.')

const newMessageId: typeof messageId = textUpTo(most.name)
const startKey: typeof requestKey = textUpTo(most.name).min(1)
const once = startKey
  .exactOptional()
  .describe('A UUID of the client; sent again, the first result comes back and nothing is started twice.')
export const byId = z.object({ conversationId })

const rewindPoint = {
  conversationId,
  to: z.int().min(0).describe('Seq of the event after which the files were as they shall be again.'),
  overwrite: z
    .boolean()
    .exactOptional()
    .describe('Also writes files that somebody else changed since. Default: they stay as they are.'),
}

const bundled = {
  ...oneConversation,
  withoutOutputs: z
    .boolean()
    .exactOptional()
    .describe('Leaves out the output of commands and tools, also in the results that the model read; default false.'),
}

/**
 * Parameters of each method. Separate from `methods`, without schemas of items, events and states: a server decodes
 * only parameters, and creating the other schemas would take a third of its start.
 */
export const methodParams = {
  initialize: z.object({
    protocolVersion: z
      .object({ min: z.int(), max: z.int() })
      .describe('The versions this client speaks; the highest common one is used.'),
    clientInfo: z
      .object({ name: z.string(), title: z.string().exactOptional(), version: z.string() })
      .describe('Other clients see `title`, else `name`, as the author of its messages and decisions.'),
    capabilities: z
      .array(z.string())
      .exactOptional()
      .describe(
        '`approvals`: this client can answer them. `limits`: it shows a reached limit of the conversation and lets its user go on; without such a client the turn fails there.',
      ),
    access: clientAccess.exactOptional().describe('Default `full`.'),
    mayLoosen: z.boolean().exactOptional().describe('False: it only tightens limits, and loosening is -32007.'),
  }),
  'conversation/create': z.object({
    ...overrides.shape,
    cwd: path.describe('Absolute path of the folder to work in.'),
    baseInstructions: textUpTo(most.instructions)
      .exactOptional()
      .describe('Instructions to the model that replace the built-in ones; at most 1 MiB of JSON.'),
    cwdMayBeMissing: z
      .boolean()
      .exactOptional()
      .describe('Create it although `cwd` does not exist yet; commands fail until it exists.'),
    ephemeral: z.boolean().exactOptional().describe('Delete the conversation when the server ends.'),
    requestKey: startKey
      .exactOptional()
      .describe('A repeat with the same key returns the first result, while that conversation is open.'),
  }),
  'conversation/resume': z.object({
    conversationId: anyConversationId.exactOptional(),
    prefix: z
      .string()
      .exactOptional()
      .describe('Unique part of an id, such as the beginning of its short form, or a name.'),
    last: z.boolean().exactOptional().describe('Resume the conversation updated last (in `cwd`, when given).'),
    cwd: z.string().exactOptional().describe('Folder to prefer with `last`.'),
    readOnly: z.boolean().exactOptional().describe('Open a view without the writer lock; it takes no messages.'),
    overrides: overrides.exactOptional(),
  }),
  'conversation/stream': z.object({
    conversationId,
    after: cursor.exactOptional().describe('The last event this client has; left out for a first attachment.'),
  }),
  'conversation/unstream': byId,
  'conversation/detach': byId,
  'conversation/sendMessage': z.object({
    conversationId,
    input: z.array(inputItem).min(1),
    messageId: newMessageId
      .exactOptional()
      .describe('A UUID of the client; sent again, the first result comes back and nothing is sent twice.'),
    when: z.enum(['now', 'queue', 'steer']).exactOptional().describe('Default `now`.'),
    overrides: turnOverrides
      .exactOptional()
      .describe('Settings from this turn on, within policy and ceiling; only with `now`.'),
    ...turnOptions,
  }),
  'conversation/inbox/edit': z.object({ conversationId, messageId, content: z.array(inputItem).min(1) }),
  'conversation/inbox/remove': z.object({ conversationId, messageId }),
  ...processParams,
  'conversation/continue': z.object({ conversationId, requestKey: once }),
  'conversation/retryNow': byId,
  'approval/decide': z.object({
    conversationId,
    approvalId,
    decision,
    scope: sessionScope.exactOptional(),
    note: textUpTo(most.note)
      .exactOptional()
      .describe('Note to the model: with a denial an alternative, with the yes to a `plan` advice.'),
    unattended: z
      .literal(true)
      .exactOptional()
      .describe(
        'A denial because no person is there to answer. The model gets this reason instead of a denial by the user.',
      ),
    answers: answers
      .refine((values) => jsonBytes(values) <= most.note, { error: `may have ${most.note} bytes of JSON` })
      .exactOptional()
      .describe(
        'Answers to the form, with `approved`; an invalid one is -32602, which names its field. The answer to a `plan` is `{mode}`, which is set before the call runs: -32007 above the ceiling, or for a client that may not loosen.',
      ),
  }),
  'conversation/compact': z.object({
    conversationId,
    instructions: z.string().max(4000).exactOptional().describe('Focus of the summary, for the model that writes it.'),
    requestKey: once,
  }),
  'conversation/context/leaveOut': z.object({
    conversationId,
    itemIds: z
      .array(itemId)
      .max(1000)
      .exactOptional()
      .describe('Items to leave out; default the items that the failure of the last turn names.'),
    half: z.literal(true).exactOptional().describe('Leaves out the newest half where no item is named.'),
    ...turnOptions,
    requestKey: once,
  }),
  'conversation/compact/undo': z.object({
    conversationId,
    seq: z
      .int()
      .exactOptional()
      .describe('Only this one, by the `seq` in `compactions`; -32602 when it is not the newest, as after a repeat.'),
  }),
  'conversation/rewind/plan': z.object(rewindPoint),
  'conversation/rewind': z.object({
    ...rewindPoint,
    hash: z.string().describe('`hash` of the plan that the user has seen.'),
  }),
  'conversation/fork': z.object({
    conversationId,
    at: z.int().min(1).exactOptional().describe('Seq of the last event to take over; default the newest.'),
    summary: z
      .literal(true)
      .exactOptional()
      .describe(
        'Has the model summarise the events after `at`; the copy begins with the summary. The conversation has to be open here, without a turn.',
      ),
    requestKey: startKey
      .exactOptional()
      .describe('A repeat with the same key returns the first result, while that copy is open.'),
  }),
  'conversation/rescue': z.object({
    conversation: z.string().describe('Id, a unique part of it, or name of the conversation.'),
  }),
  'conversation/list': z.object({
    cursor: z.string().exactOptional().describe('`nextCursor` of the previous page.'),
    limit: z.int().min(1).max(1000).exactOptional().describe('Default 50.'),
    cwd: z.string().exactOptional().describe('Only conversations of this folder.'),
    archived: z.boolean().exactOptional().describe('List archived conversations instead of the others.'),
    follow: z.literal(true).exactOptional().describe('From now on `conversation/listChanged` tells of changes.'),
  }),
  'conversation/search': z.object({
    query: z.string().max(1000).describe('Words, and phrases in quotation marks.'),
    cwd: z.string().exactOptional().describe('Only conversations of this folder.'),
    archived: z.boolean().exactOptional().describe('Only archived ones, or only the others; default all.'),
    limit: z.int().min(1).max(200).exactOptional().describe('Default 20.'),
    waitMs: z.int().min(0).max(10_000).exactOptional().describe('Time for reading new conversations; default 100.'),
  }),
  ...memoryParams,
  ...peopleParams,
  ...hookParams,
  'conversation/read': z.object({
    conversationId,
    before: z.int().exactOptional().describe('Only items completed before this seq; default all.'),
    after: z.int().exactOptional().describe('Only items completed after this seq; default all.'),
    limit: z
      .int()
      .min(1)
      .max(1000)
      .exactOptional()
      .describe('Number of items, the newest ones; fewer when they would exceed 8 MiB; default 100.'),
  }),
  'conversation/turns': z.object({
    conversationId,
    before: z.int().exactOptional().describe('Only turns started before this seq; default all.'),
    limit: z
      .int()
      .min(1)
      .max(200)
      .exactOptional()
      .describe('Number of turns, the newest ones; fewer when they would exceed 8 MiB; default 20.'),
  }),
  'conversation/readChange': z.object({ conversationId, itemId: itemId.describe('Of a `fileChange`, ended or not.') }),
  'conversation/context': z.object({ conversationId }),
  'conversation/findFiles': z.object({ conversationId, query: z.string().max(1000).describe('A begun path.') }),
  'conversation/readEvents': z.object({
    conversationId,
    after: z
      .object({ seq: cursor.shape.seq, crc: cursor.shape.crc.exactOptional() })
      .describe('The last event the reader has. With its `crc`, -32602 says that the log does not hold that event.'),
    limit: z
      .int()
      .min(1)
      .max(1000)
      .exactOptional()
      .describe('Number of events at most; fewer when they would exceed 8 MiB; default 500.'),
  }),
  'conversation/readFile': z.object({
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
  'conversation/rename': z.object({ conversationId, name: z.string().max(200) }),
  'conversation/archive': byId,
  'conversation/unarchive': byId,
  'conversation/delete': byId,
  'conversation/configure': z.object({ conversationId, settings: chosenSettings }),
  'conversation/runShell': z.object({ conversationId, command: z.string().min(1), requestKey: once }),
  'bundle/describe': z.object(bundled),
  'bundle/write': z.object({ ...bundled, file: z.string().describe('Absolute path of a file that does not exist.') }),
  'conversation/export': z.object({
    ...bundled,
    before: z.int().exactOptional().describe('Only items before this seq, without the state; default the newest.'),
    limit: z.int().min(1).max(1000).exactOptional().describe('Default 100.'),
  }),
  'bundle/open': z.object({
    file: z.string().describe('Absolute path of the bundle.'),
    cwd: z.string().describe('Absolute path of the folder it works in from now on.'),
  }),
  'replay/run': z.object({
    cwd: z
      .string()
      .exactOptional()
      .describe('Folder of the newest conversation, which is used when no other field names one.'),
    conversation: z.string().exactOptional().describe('Id, a unique part of it, or name of the conversation.'),
    file: z.string().exactOptional().describe('Absolute path of a log or a bundle, in place of a conversation.'),
  }),
  'usage/read': z.object({
    by: z.enum(['day', 'model', 'folder']).exactOptional().describe('Default `day`.'),
    since: z
      .string()
      .regex(/^\d{4}-\d\d-\d\d$/)
      .exactOptional()
      .describe('First day, in the time zone of the server; default all.'),
  }),
  'model/list': z.object({
    cwd: z.string().exactOptional(),
    provider: z
      .string()
      .exactOptional()
      .describe('Lists the models of this provider only. Rejects with `invalidParams` for an unknown id.'),
    kept: z.boolean().exactOptional().describe('Returns the lists of the last request at once, without connecting.'),
  }),
  'provider/list': z.object({}),
  'provider/check': z.object({
    provider: z.string().exactOptional().describe('The chosen one when left out.'),
    model: z.string().exactOptional().describe('Model that is asked for one token.'),
  }),
  'config/write': z.object({
    key: z.literal('tui.theme').describe('The only value that is written so far.'),
    value: z.enum(['auto', 'light', 'dark', 'ansi', 'high-contrast']),
  }),
  'config/read': z.object({ ...overrides.shape, cwd: z.string() }),
  'login/start': z.object({
    provider,
    key: z
      .string()
      .exactOptional()
      .describe('Key of the provider. It is not logged, and kept only if the provider accepts it.'),
    flow: z
      .enum(['browser', 'device'])
      .exactOptional()
      .describe(
        'In place of a key: OAuth at the issuer that the configuration names, in a browser of this machine or by a code.',
      ),
  }),
  'login/cancel': z.object({ loginId: z.string().describe('Id of the attempt, from `login/start`.') }),
  'login/status': z.object({}),
  logout: z.object({ provider }),
  'mcp/list': z.object({}),
  'mcp/login': z.object({ name: mcpName }),
  'mcp/logout': z.object({ name: mcpName }),
  'mcp/restart': z.object({ name: z.string().describe('Key of `[mcp_servers.X]`.') }),
  'trust/read': z.object({ cwd: z.string().describe('A folder of the project; absolute.'), environment }),
  'trust/decide': z.object({
    cwd: z.string().describe('A folder of the project; absolute.'),
    environment,
    hash: z.string().describe('Hash from `trust/read`. If the content has changed since, it is not trusted.'),
    verdict: trustVerdict,
  }),
  'skill/list': z.object({ cwd: z.string().describe('Folder to look from; absolute.'), environment }),
  'environment/list': z.object({}),
  'web/open': z.object({
    port: z
      .int()
      .min(0)
      .max(65_535)
      .exactOptional()
      .describe('Port to listen on, the first time; default one that the system chooses.'),
    access: clientAccess.exactOptional().describe('Access of the client that opens the link; default `full`.'),
    conversationId: conversationId
      .exactOptional()
      .describe('Conversation that the page shows first; with `access: readOnly` the only one that it reaches.'),
    cwd: z.string().exactOptional().describe('Folder that the page offers for a new conversation; absolute.'),
  }),
  'server/diagnostics': z.object({}),
  'server/checkup': z.object({
    cwd: z.string().describe('Absolute path of the folder the check is for.'),
    provider: z.boolean().exactOptional().describe('Also ask the model provider, for 1.2 s at most; default true.'),
  }),
  ...policyParams,
} as const

export type Overrides = z.infer<typeof overrides>
export type Cursor = z.infer<typeof cursor>
export type TrustVerdict = z.infer<typeof trustVerdict>
