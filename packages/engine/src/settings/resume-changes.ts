import { posix, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { chosenEnvironment, layerOfOverrides } from '@parley/config'
import type { Actor, ConversationEvent, ConversationState, ItemId, Overrides, Settings } from '@parley/protocol'
import { withoutUndefined } from '@parley/text'
import { noticeItem } from '../conversation/notices.ts'
import {
  assertNetworkAllowed,
  type Ceiling,
  loweredText,
  type RequestedPermissions,
  underCeiling,
} from '../limits/ceiling.ts'
import {
  assertNoSecretFolder,
  assertOwnFilesOutside,
  fittingMode,
  isClosedFolder,
  type SecretSurroundings,
  wholeSystemText,
} from '../limits/workspace-folders.ts'
import { rejection } from '../replies/rejection.ts'
import { addedFolders, assertAdded, existingFolder } from './existing-folder.ts'
import { type GivenLimits, withinGiven } from './given-limits.ts'
import { choicesIn } from './read-config.ts'

type Permissions = Pick<Settings, 'approvalPolicy' | 'sandbox'>

export interface Resumer extends SecretSurroundings {
  readonly by: Actor
  readonly newItemId: () => ItemId
  /** Limits for the recorded settings; null for a conversation that is open in this process. */
  readonly given: GivenLimits | null
}

/** Returns the events of a resume that changes recorded settings. Recorded values stay unless a caller's flag differs. */
export function resumeChanges(
  state: ConversationState,
  overrides: Overrides,
  { by, newItemId, given, ...surroundings }: Resumer,
): readonly ConversationEvent[] {
  const { home, ceiling } = surroundings
  const { meta, settings } = state.core
  const cwd = resumeFolder(state, overrides, given === null)
  const requested = { ...choicesIn(overrides, home), ...overrides }
  const { environment, model, modelProvider, effort } = requested
  const recorded = { approvalPolicy: settings.approvalPolicy, sandbox: settings.sandbox }
  const confirmed = given === null ? recorded : withinGiven(recorded, given)
  const wanted = { ...recorded, ...limitsIn(requested) }
  const within = { ...confirmed, ...limitsIn(requested) }
  const { approvalPolicy, sandbox: allowed } = underCeiling(within, requested, ceiling())
  assertSameMachine(settings.environment, environment)
  assertNetworkAllowed(overrides.network, ceiling())
  const addedRoots = addedFolders(overrides, cwd)
  const isHere = settings.environment === undefined
  if (isHere) assertAdded(addedRoots)
  const closed = isHere ? settings.writableRoots.filter((root) => isClosedFolder(root, surroundings)) : []
  const unknown = settings.writableRoots.filter(
    (root) =>
      !closed.includes(root) && given !== null && !given.writableRoots.some((one) => resolve(cwd, one) === root),
  )
  const leftOut = [...closed, ...unknown]
  const kept = overrides.writableRoots === undefined ? settings.writableRoots : []
  const roots = [...new Set([...kept.filter((root) => !leftOut.includes(root)), ...addedRoots])]
  if (isHere) assertOwnFilesOutside([cwd, ...roots], home)
  if (isHere) assertNoSecretFolder([cwd, ...addedRoots], surroundings)
  const sandbox = isHere ? fittingMode({ roots: [cwd, ...roots], sandbox: allowed }) : allowed
  const change = {
    ...differing('model', model, settings.model),
    ...differing('modelProvider', modelProvider, settings.modelProvider),
    ...differing('effort', effort, settings.effort),
    ...differing('approvalPolicy', approvalPolicy, settings.approvalPolicy),
    ...differing('sandbox', sandbox, settings.sandbox),
    ...differing('enforcement', enforcementAfter(sandbox, settings), settings.enforcement),
    ...(isDeepStrictEqual(roots, settings.writableRoots) ? {} : { writableRoots: roots }),
    ...sandboxKeys(overrides, settings, ceiling()),
  }
  return [
    ...(cwd === meta.cwd ? [] : [{ type: 'conversation.moved' as const, cwd, by }]),
    ...(Object.keys(change).length === 0 ? [] : [{ type: 'conversation.configured' as const, settings: change, by }]),
    ...loweredNotice(belowGivenText(wanted, within), newItemId),
    ...loweredNotice(
      loweredText(within, { approvalPolicy, sandbox: allowed }, 'This conversation was recorded with'),
      newItemId,
    ),
    ...loweredNotice(sandbox === allowed ? null : wholeSystemText, newItemId),
    ...leftOut
      .filter((root) => !addedRoots.includes(root))
      .flatMap((root) => loweredNotice(closed.includes(root) ? closedText(root) : unknownText(root), newItemId)),
  ]
}

/** Returns a sentence about permissions of the log that neither the configuration nor a flag gives; null without one. */
function belowGivenText(wanted: Permissions, within: Permissions): string | null {
  const [name, flag] =
    wanted.sandbox === within.sandbox ? (['approvalPolicy', '-a'] as const) : (['sandbox', '-s'] as const)
  if (wanted[name] === within[name]) return null
  return `This conversation was recorded with ${wanted[name]}, which your configuration does not give: ${within[name]} is in force. ${flag} ${wanted[name]} on the command line gives it back.`
}

function unknownText(root: string): string {
  return `This conversation was recorded with ${root} as a folder that commands may write to. That you gave it is not known here, so it is left out; --add-dir ${root} on the command line gives it back.`
}

function closedText(root: string): string {
  return `This conversation was recorded with ${root} as a folder that commands may write to. Secrets are kept there, so it is left out; --add-dir ${root} --allow-secret-folder ${root} on the command line gives it back.`
}

/** Returns changes of sandbox keys given by `-c`, which programs that drive parley repeat at each resume. */
function sandboxKeys(
  { config = {}, network: wanted }: Overrides,
  settings: Settings,
  ceiling: Ceiling,
): Partial<Settings> {
  const { network_access, allow_unix_sockets } = layerOfOverrides(config, '-c').values.sandbox_workspace_write ?? {}
  const { network = false, unixSockets = false } = settings
  return {
    ...differing('network', wanted ?? network_access ?? (network && ceiling.network), network),
    ...differing('unixSockets', allow_unix_sockets ?? (unixSockets && ceiling.unixSockets), unixSockets),
  }
}

/** Returns the recorded enforcement of a limited mode, which stands until the environment has been asked. */
function enforcementAfter(sandbox: Settings['sandbox'], recorded: Settings): Settings['enforcement'] {
  const isLimited = sandbox !== 'danger-full-access' && recorded.sandbox !== 'danger-full-access'
  return isLimited ? recorded.enforcement : 'none'
}

function limitsIn({ approvalPolicy, sandbox }: Overrides): RequestedPermissions {
  return withoutUndefined({ approvalPolicy, sandbox })
}

/** Builds the notice that recorded limits were lowered to the ceiling: a log cannot grant more than the server allows. */
function loweredNotice(title: string | null, newItemId: () => ItemId): ConversationEvent[] {
  if (title === null) return []
  return [{ type: 'item.completed', item: noticeItem(newItemId(), { level: 'warning', code: 'limitsLowered', title }) }]
}

/** Returns the folder to go on in. An open conversation may wait for the one it was created for. */
function resumeFolder({ core: { meta, settings } }: ConversationState, overrides: Overrides, isOpen: boolean): string {
  if (settings.environment === undefined)
    return existingFolder(overrides.cwd ?? meta.cwd, { mayBeMissing: isOpen && overrides.cwd === undefined })
  return posix.resolve(meta.cwd, overrides.environmentCwd ?? '.')
}

/** Throws `configInvalid` for another environment: recorded paths and patches belong to one machine. */
function assertSameMachine(recorded: string | undefined, requested: string | undefined): void {
  if (requested === undefined || chosenEnvironment({ environment: requested }) === (recorded ?? null)) return
  const where = recorded === undefined ? 'on this machine' : `in environment ${recorded}`
  throw rejection('configInvalid', `This conversation works ${where}, and that cannot be changed. Start a new one.`, {
    where: 'environment',
  })
}

function differing<Key extends string, Value>(
  key: Key,
  wanted: Value | undefined,
  known: Value | undefined,
): Partial<Record<Key, Value>> {
  if (wanted === undefined || wanted === known) return {}
  const change: Partial<Record<Key, Value>> = {}
  change[key] = wanted
  return change
}
