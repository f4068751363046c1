import * as z from 'zod'

const text = z.string().nullish()
const flag = z.boolean().nullish()

const approvalPolicy = z
  .union([z.enum(['untrusted', 'on-failure', 'on-request', 'never']), z.looseObject({ granular: z.unknown() })])
  .nullish()

const sandboxMode = z.enum(['read-only', 'workspace-write', 'danger-full-access']).nullish()

const sandboxPolicy = z
  .discriminatedUnion('type', [
    z.looseObject({ type: z.literal('dangerFullAccess') }),
    z.looseObject({ type: z.literal('readOnly'), networkAccess: flag }),
    z.looseObject({ type: z.literal('externalSandbox') }),
    z.looseObject({
      type: z.literal('workspaceWrite'),
      writableRoots: z.array(z.string()).nullish(),
      networkAccess: flag,
    }),
  ])
  .nullish()

const userInput = z.union([
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image'), url: z.string() }),
  z.looseObject({ type: z.literal('localImage'), path: z.string() }),
  z.looseObject({ type: z.enum(['skill', 'mention']), name: z.string(), path: z.string() }),
])

const page = {
  cursor: text,
  limit: z.int().min(1).nullish(),
  sortDirection: z.enum(['asc', 'desc']).nullish(),
}

const ofThread = z.looseObject({ threadId: z.string() })

const startParams = z.looseObject({
  model: text,
  modelProvider: text,
  cwd: text,
  runtimeWorkspaceRoots: z.array(z.string()).nullish(),
  approvalPolicy,
  sandbox: sandboxMode,
  config: z.record(z.string(), z.unknown()).nullish(),
  baseInstructions: text,
  developerInstructions: text,
  ephemeral: flag,
})

/** Parameters of the methods that have some, as far as this server reads them; other fields are ignored. */
export const codexParams = {
  initialize: z.looseObject({
    clientInfo: z.looseObject({ name: z.string(), title: text, version: z.string() }),
    capabilities: z.looseObject({ optOutNotificationMethods: z.array(z.string()).nullish() }).nullish(),
  }),
  ofThread,
  threadStart: startParams,
  threadResume: startParams.extend({ threadId: z.string(), excludeTurns: flag }),
  threadFork: startParams.extend({ threadId: z.string(), excludeTurns: flag, lastTurnId: text, beforeTurnId: text }),
  threadRead: ofThread.extend({ includeTurns: flag }),
  threadList: z.looseObject({
    ...page,
    cwd: z.union([z.string(), z.array(z.string())]).nullish(),
    archived: flag,
    searchTerm: text,
    sectionId: text,
    sourceKinds: z.array(z.string()).nullish(),
    excludedThreadIds: z.array(z.string()).nullish(),
    modelProviders: z.array(z.string()).nullish(),
  }),
  turnsList: ofThread.extend({ ...page, itemsView: z.enum(['notLoaded', 'summary', 'full']).nullish() }),
  itemsList: ofThread.extend({ ...page, cursor: z.unknown().optional(), turnId: text }),
  nameSet: ofThread.extend({ name: z.string() }),
  shellCommand: ofThread.extend({ command: z.string().min(1) }),
  turnStart: ofThread.extend({
    input: z.array(userInput),
    clientUserMessageId: text,
    cwd: text,
    runtimeWorkspaceRoots: z.array(z.string()).nullish(),
    approvalPolicy,
    sandboxPolicy,
    model: text,
    effort: text,
    outputSchema: z.unknown().optional(),
  }),
  turnSteer: ofThread.extend({ input: z.array(userInput), expectedTurnId: z.string(), clientUserMessageId: text }),
  turnInterrupt: ofThread.extend({ turnId: z.string() }),
  cwds: z.looseObject({ cwds: z.array(z.string()).nullish() }),
  configRead: z.looseObject({ cwd: text, includeLayers: flag }),
  any: z.unknown(),
} as const

export type CodexParams<Name extends keyof typeof codexParams> = z.infer<(typeof codexParams)[Name]>
