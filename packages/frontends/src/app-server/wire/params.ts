import { approvalPolicies, sandboxModes } from '@parley/protocol'
import * as z from 'zod'

const text = z.string().nullish()
const flag = z.boolean().nullish()

const approvalPolicy = z.union([z.enum(approvalPolicies), z.looseObject({ granular: z.unknown() })]).nullish()

const sandboxMode = z.enum(sandboxModes).nullish()

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

/** The system keeps 16 bits of each; 0 is rejected with Codex's words. */
const cells = z.int().min(0).max(65_535)
const terminalSize = z.looseObject({ rows: cells, cols: cells })

const userInput = z.union([
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image'), url: z.string() }),
  z.looseObject({ type: z.literal('localImage'), path: z.string() }),
  z.looseObject({ type: z.enum(['skill', 'mention']), name: z.string(), path: z.string() }),
])

const page = {
  cursor: text,
  /** 0 counts as 1, as in Codex. */
  limit: z.int().min(0).nullish(),
  sortDirection: z.enum(['asc', 'desc']).nullish(),
}

const ofThread = z.looseObject({ threadId: z.string() })

const turnSettings = {
  cwd: text,
  runtimeWorkspaceRoots: z.array(z.string()).nullish(),
  approvalPolicy,
  sandboxPolicy,
  permissions: text,
  model: text,
  effort: text,
}

const startParams = z.looseObject({
  model: text,
  modelProvider: text,
  cwd: text,
  runtimeWorkspaceRoots: z.array(z.string()).nullish(),
  approvalPolicy,
  sandbox: sandboxMode,
  permissions: text,
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
  reviewStart: ofThread.extend({
    target: z.discriminatedUnion('type', [
      z.looseObject({ type: z.literal('uncommittedChanges') }),
      z.looseObject({ type: z.literal('baseBranch'), branch: z.string() }),
      z.looseObject({ type: z.literal('commit'), sha: z.string(), title: text }),
      z.looseObject({ type: z.literal('custom'), instructions: z.string().min(1) }),
    ]),
  }),
  settingsUpdate: ofThread.extend({ ...turnSettings, approvalsReviewer: text }),
  turnStart: ofThread.extend({
    ...turnSettings,
    input: z.array(userInput),
    clientUserMessageId: text,
    outputSchema: z.unknown().optional(),
  }),
  turnSteer: ofThread.extend({ input: z.array(userInput), expectedTurnId: z.string(), clientUserMessageId: text }),
  turnInterrupt: ofThread.extend({ turnId: z.string() }),
  commandExec: z.looseObject({
    command: z.array(z.string()),
    processId: text,
    tty: flag,
    streamStdin: flag,
    streamStdoutStderr: flag,
    outputBytesCap: z.int().min(0).nullish(),
    disableOutputCap: flag,
    disableTimeout: flag,
    timeoutMs: z.int().nullish(),
    cwd: text,
    env: z.record(z.string(), text).nullish(),
    size: terminalSize.nullish(),
    sandboxPolicy,
    permissionProfile: text,
  }),
  ofPath: z.looseObject({ path: z.string() }),
  commandWrite: z.looseObject({ processId: z.string(), deltaBase64: text, closeStdin: flag }),
  commandResize: z.looseObject({ processId: z.string(), size: terminalSize }),
  commandTerminate: z.looseObject({ processId: z.string() }),
  cwds: z.looseObject({ cwds: z.array(z.string()).nullish() }),
  fileSearch: z.looseObject({ query: z.string().max(1000), roots: z.array(z.string()) }),
  any: z.looseObject({}),
  configRead: z.looseObject({ cwd: text, includeLayers: flag }),
} as const

export type CodexParams<Name extends keyof typeof codexParams> = z.infer<(typeof codexParams)[Name]>
