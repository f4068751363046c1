import { posix, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { chosenEnvironment, layerOfOverrides } from '@parley/config'
import type { Actor, ConversationEvent, ConversationState, Overrides, Settings } from '@parley/protocol'
import { rejection } from '../../replies/rejection.ts'
import { noticeItem } from '../conversation/notices.ts'
import { type Asked, type Ceiling, loweredText, underCeiling } from '../limits/ceiling.ts'
import {
  assertNoSecretFolder,
  assertOwnFilesOutside,
  fittingMode,
  isClosedFolder,
  type SecretSurroundings,
  wholeSystemText,
} from '../limits/workspace-folders.ts'
import { assertAdded, existingFolder } from './initial-settings.ts'
import { choicesIn } from './read-config.ts'

interface Resumer extends SecretSurroundings {
  readonly by: Actor
  readonly newItemId: () => string
}

/**
 * Returns the events by which a resume changes what was recorded. Recorded values stay unless a flag of the caller
 * differs.
 */
export function resumeChanges(
  state: ConversationState,
  overrides: Overrides,
  { by, newItemId, ...around }: Resumer,
): readonly ConversationEvent[] {
  const { home, ceiling } = around
  const { meta, settings } = state.core
  const cwd = resumeFolder(state, overrides)
  const asked = { ...choicesIn(overrides, home), ...overrides }
  const { environment, model, modelProvider, effort } = asked
  const { approvalPolicy: recordedPolicy, sandbox: recordedSandbox } = settings
  const wanted = { approvalPolicy: recordedPolicy, sandbox: recordedSandbox, ...limitsIn(asked) }
  const { approvalPolicy, sandbox: allowed } = underCeiling(wanted, asked, ceiling())
  assertSameMachine(settings.environment, environment)
  const addedRoots = (overrides.addDirs ?? []).map((root) => resolve(cwd, root))
  if (settings.environment === undefined) assertAdded(addedRoots)
  const isHere = settings.environment === undefined
  const closed = isHere ? settings.writableRoots.filter((root) => isClosedFolder(root, around)) : []
  const roots = [...new Set([...settings.writableRoots.filter((root) => !closed.includes(root)), ...addedRoots])]
  if (isHere) assertOwnFilesOutside([cwd, ...roots], home)
  if (isHere) assertNoSecretFolder([cwd, ...addedRoots], around)
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
    ...loweredNotice(
      loweredText(wanted, { approvalPolicy, sandbox: allowed }, 'This conversation was recorded with'),
      newItemId,
    ),
    ...loweredNotice(sandbox === allowed ? null : wholeSystemText, newItemId),
    ...closed
      .filter((root) => !addedRoots.includes(root))
      .flatMap((root) => loweredNotice(closedText(root), newItemId)),
  ]
}

function closedText(root: string): string {
  return `This conversation was recorded with ${root} as a folder that commands may write to. Secrets are kept there, so it is left out; --add-dir ${root} --allow-secret-folder ${root} on the command line gives it back.`
}

/** Returns changes of sandbox keys given by `-c`, which programs that drive parley repeat at each resume. */
function sandboxKeys({ config = {} }: Overrides, settings: Settings, ceiling: Ceiling): Partial<Settings> {
  const { network_access, allow_unix_sockets } = layerOfOverrides(config, '-c').values.sandbox_workspace_write ?? {}
  const { network = false, unixSockets = false } = settings
  return {
    ...differing('network', network_access ?? (network && ceiling.network), network),
    ...differing('unixSockets', allow_unix_sockets ?? (unixSockets && ceiling.unixSockets), unixSockets),
  }
}

/** Returns the recorded enforcement of a limited mode, which stands until the environment has been asked. */
function enforcementAfter(sandbox: Settings['sandbox'], recorded: Settings): Settings['enforcement'] {
  const isLimited = sandbox !== 'danger-full-access' && recorded.sandbox !== 'danger-full-access'
  return isLimited ? recorded.enforcement : 'none'
}

function limitsIn({ approvalPolicy, sandbox }: Overrides): Asked {
  return {
    ...(approvalPolicy === undefined ? {} : { approvalPolicy }),
    ...(sandbox === undefined ? {} : { sandbox }),
  }
}

/**
 * Builds the notice that recorded limits were lowered to the ceiling: a log cannot grant more than the server allows.
 */
function loweredNotice(title: string | null, newItemId: () => string): ConversationEvent[] {
  if (title === null) return []
  return [{ type: 'item.completed', item: noticeItem(newItemId(), { level: 'warning', code: 'limitsLowered', title }) }]
}

function resumeFolder({ core: { meta, settings } }: ConversationState, overrides: Overrides): string {
  if (settings.environment === undefined) return existingFolder(overrides.cwd ?? meta.cwd)
  return posix.resolve(meta.cwd, overrides.environmentCwd ?? '.')
}

/** Throws `configInvalid` for another environment: recorded paths and patches belong to one machine. */
function assertSameMachine(recorded: string | undefined, asked: string | undefined): void {
  if (asked === undefined || chosenEnvironment({ environment: asked }) === (recorded ?? null)) return
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
