import { type Conversation, codeOf, type Parley, type ResumeOptions, type Which } from '@parley/client'
import type { Notice } from '@parley/presentation/notices/notice'
import { type MessagePlace, pointBefore } from '@parley/presentation/rewind/point-before'
import {
  isStricterSandbox,
  type Settings,
  type SettingsPatch,
  samePlace,
  unconfiguredProvider,
  wireErrors,
} from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { type CommonFlags, overridesOf } from '../cli/flags.ts'
import { fromWorkingFolder, workingFolder } from '../cli/folders.ts'
import { settingsLine } from '../ui/outside-changes.ts'
import type { Intent } from '../ui/state/actions.ts'
import { pointReads } from './fork-point.ts'

/** A conversation that was opened by this connection, with what to say about it. */
export interface OpenedConversation {
  readonly kind: 'open'
  readonly parley: Parley
  readonly conversation: Conversation
  readonly notices: readonly Notice[]
}

/** Provider and first notice of new conversations, beside the flags: `parley demo` sets them. */
export interface Extra {
  readonly provider?: string
  readonly banner?: string
}

export function openedBy(
  parley: Parley,
  conversation: Conversation,
  notices: readonly Notice[] = [],
): OpenedConversation {
  return { kind: 'open', parley, conversation, notices }
}

/** Opens a conversation, or joins it where it is live; if it cannot be joined, shows it as saved, with a warning. */
export async function openOrView(
  parley: Parley,
  which: Which,
  options: Pick<ResumeOptions, 'overrides'> = {},
): Promise<OpenedConversation> {
  try {
    return openedBy(parley, await parley.resume(which, options))
  } catch (error) {
    if (codeOf(error) === 'notPermitted' && options.overrides === undefined)
      return openedBy(parley, await parley.resume(which, { readOnly: true }), [notOpenForReader])
    return await viewUnreachable(parley, error, ', and /fork goes on in a copy')
  }
}

const notOpenForReader: Notice = {
  kind: 'note',
  level: 'info',
  text: 'Nobody has this conversation open, and a reader does not open it for writing: this is what is saved.',
}

/** Opens a conversation to watch it; one that is live and cannot be joined is shown as saved, with a warning. */
export async function watchOrView(parley: Parley, which: Which): Promise<OpenedConversation> {
  try {
    return openedBy(parley, await parley.watch(which))
  } catch (error) {
    return await viewUnreachable(parley, error, '')
  }
}

/** Opens the log of a conversation that could not be joined. `next`: end of the warning, with what else can be done. Rethrows other errors. */
async function viewUnreachable(parley: Parley, error: unknown, next: string): Promise<OpenedConversation> {
  const data = error instanceof RpcError ? error.data : undefined
  const conversationId = data?.['conversationId']
  if (codeOf(error) !== 'liveElsewhere' || data === undefined || typeof conversationId !== 'string') throw error
  const view = await parley.resume(conversationId, { readOnly: true })
  return openedBy(parley, view, [{ kind: 'note', level: 'warning', text: whyNotJoined(error, data, next) }])
}

function whyNotJoined(error: unknown, data: { readonly [key: string]: unknown }, next: string): string {
  // This message names both versions and the side to update.
  if (data['reason'] === 'protocolVersion' && error instanceof Error) return error.message
  const { pid, address } = data
  if (typeof address === 'string')
    return `It is open at ${address}, which cannot be joined from here: this is a read-only view of what is saved${next}. There, with its token: parley attach ${address}`
  const where = typeof pid === 'number' ? `process ${pid}` : 'another process'
  if (data['reason'] === 'notSafe')
    return `It is open in ${where}, which was started without --safe: this is a read-only view of what is saved${next}.`
  return `It is open in ${where}, which cannot be reached: this is a read-only view of what is saved${next}.`
}

export function createConversation(
  parley: Pick<Parley, 'create'>,
  flags: CommonFlags,
  { provider }: Extra,
): Promise<Conversation> {
  return parley.create({
    ...overridesOf(flags),
    cwd: folderOf(flags),
    ...(provider === undefined ? {} : { modelProvider: provider }),
    ...(flags.ephemeral === true ? { ephemeral: true } : {}),
  })
}

/** Returns the folder that the flags choose, absolute; the working folder by default. */
export function folderOf({ cd }: CommonFlags): string {
  return cd === undefined ? workingFolder() : fromWorkingFolder(cd)
}

/** Intent to put another conversation on the screen. */
export type OpeningIntent = Extract<Intent, { kind: 'open' | 'fork' | 'new' }>

interface OpeningContext {
  readonly flags: CommonFlags
  readonly extra: Extra
  /** Conversation on the screen; null before the first one. */
  readonly before: Conversation | null
  readonly onlyWatches: boolean
}

export async function openOther(
  parley: Parley,
  intent: OpeningIntent,
  { flags, extra, before, onlyWatches }: OpeningContext,
): Promise<OpenedConversation> {
  switch (intent.kind) {
    case 'open':
      return (onlyWatches ? watchOrView : openOrView)(parley, intent.conversationId)
    case 'fork':
      return intent.before === undefined
        ? openedBy(parley, await parley.fork(intent.conversationId))
        : await forkBefore(parley, before, { ...intent, message: intent.before })
    case 'new': {
      if (before === null) return openedBy(parley, await createConversation(parley, flags, extra))
      const { core } = before.state
      const conversation = await createBeside(parley, core, { flags, extra })
      return openedBy(parley, conversation, await keepSettings(conversation, core.settings))
    }
  }
}

/** Creates a conversation where another one works, whichever place the flags name. */
export function createBeside(
  parley: Pick<Parley, 'create'>,
  core: Parameters<typeof samePlace>[0],
  { flags, extra }: Pick<OpeningContext, 'flags' | 'extra'>,
): Promise<Conversation> {
  const { cwd: cd, environment } = samePlace(core)
  return createConversation(parley, { ...flags, cd, environment }, extra)
}

/** Opens a copy of the conversation on the screen up to a message, and names the left-out part. */
async function forkBefore(
  parley: Parley,
  before: Conversation | null,
  { message, summary }: { readonly message: MessagePlace; readonly summary?: true },
): Promise<OpenedConversation> {
  const point = before === null ? null : await pointBefore(pointReads(before), message)
  if (before === null || point === null)
    throw new RpcError(wireErrors.itemNotFound, 'Nothing comes before that message: /new begins a new conversation.', {
      code: 'itemNotFound',
    })
  const copy = await parley.fork(before.id, point, summary === undefined ? {} : { summary })
  const text = `Goes on before that message, in a copy. All of it stays in ${before.summary.shortId}: /resume opens it.`
  return openedBy(parley, copy, [{ kind: 'note', level: 'info', text }])
}

/** Gives a new conversation the model of the one before, and the limits of it that are stricter, and says so. */
async function keepSettings(
  conversation: Pick<Conversation, 'state' | 'configure'>,
  before: Settings,
): Promise<readonly Notice[]> {
  const fresh = conversation.state.core.settings
  const stricter = await configured(conversation, stricterLimits(before, fresh))
  const kept = { ...stricter, ...(await configured(conversation, modelKept(before, fresh)).catch(withoutModel)) }
  if (Object.keys(kept).length === 0) return []
  const text = `As in the conversation before: ${settingsLine(kept)}.`
  return [{ kind: 'note', level: 'info', text }]
}

async function configured(conversation: Pick<Conversation, 'configure'>, patch: SettingsPatch): Promise<SettingsPatch> {
  if (Object.keys(patch).length > 0) await conversation.configure(patch)
  return patch
}

/** Leaves a new conversation its own model when the server rejects the other: its key may be gone since. */
function withoutModel(error: unknown): SettingsPatch {
  if (error instanceof RpcError) return {}
  throw error
}

type ModelChoice = Pick<Settings, 'modelProvider' | 'model' | 'effort'>

/** Returns the model and effort where they differ from a new conversation's; a missing model is not kept. */
export function modelKept(before: ModelChoice, fresh: ModelChoice): SettingsPatch {
  if (before.modelProvider === unconfiguredProvider) return {}
  const { modelProvider, model, effort } = before
  return {
    ...(modelProvider === fresh.modelProvider ? {} : { modelProvider }),
    ...(modelProvider === fresh.modelProvider && model === fresh.model ? {} : { model }),
    ...(effort === undefined || effort === fresh.effort ? {} : { effort }),
  }
}

type ComparedLimits = Pick<Settings, 'sandbox' | 'approvalPolicy'>

/** Returns the limits that are stricter than a new conversation's; of the policies only `untrusted` is stricter. */
export function stricterLimits(before: ComparedLimits, fresh: ComparedLimits): SettingsPatch {
  const isNarrower = isStricterSandbox(before.sandbox, fresh.sandbox)
  const asksMore = before.approvalPolicy === 'untrusted' && fresh.approvalPolicy !== 'untrusted'
  return {
    ...(isNarrower ? { sandbox: before.sandbox } : {}),
    ...(asksMore ? { approvalPolicy: before.approvalPolicy } : {}),
  }
}
