import type { BackgroundProcess, BackgroundProcesses, SandboxLimits } from '@parley/host'
import { type DecisionRecord, type ItemId, isStricterSandbox, type Settings } from '@parley/protocol'
import type { Conversation } from '../conversation/conversation.ts'
import { noticeEvent, noticeItem } from '../conversation/notices.ts'

type LimitSettings = Pick<Settings, 'sandbox' | 'network' | 'unixSockets'>

/** Rights that a command was started with; null for all rights of the user, `unknown` where the log lacks them. */
type Rights = Pick<SandboxLimits, 'mode' | 'network' | 'unixSockets'> | 'unknown' | null

export interface RunningCall {
  readonly rights: Rights
  readonly stop: () => void
}

interface RunningCommands {
  readonly calls: Iterable<RunningCall>
  readonly conversation: Conversation
  readonly background: Pick<BackgroundProcesses, 'list' | 'stop'>
  readonly newItemId: () => ItemId
  readonly onFault: (fault: unknown) => void
}

/**
 * Stops the commands that may do more than the settings allow since they were narrowed. Records a notice about background
 * commands; a call has its outcome.
 */
export function stopBeyondLimits(
  { conversation, calls, background, newItemId, onFault }: RunningCommands,
  before: LimitSettings,
): void {
  // Limits cannot be put on a running process.
  const { settings } = conversation.state.core
  for (const { rights, stop } of calls) if (exceeds(rights, settings, before)) stop()
  const exceeding = background.list().filter(({ end, limits }) => end === null && exceeds(limits, settings, before))
  if (exceeding.length === 0) return
  for (const { id } of exceeding) background.stop(id).catch(onFault)
  const item = noticeItem(newItemId(), {
    level: 'warning',
    code: 'backgroundStopped',
    title: stoppedText(exceeding, settings.sandbox),
  })
  conversation.record(noticeEvent(conversation, item))
}

/** Tells if rights are more than the settings give since they were narrowed. */
export function exceeds(limits: Rights, now: LimitSettings, before: LimitSettings): boolean {
  const lost = (key: 'network' | 'unixSockets') => before[key] === true && now[key] !== true
  const isStricter = isStricterSandbox(now.sandbox, before.sandbox)
  if (limits === 'unknown') return isStricter || lost('network') || lost('unixSockets')
  if (isStricter && isStricterSandbox(now.sandbox, limits?.mode ?? 'danger-full-access')) return true
  if (limits === null) return false
  return (lost('network') && limits.network) || (lost('unixSockets') && limits.unixSockets)
}

/**
 * Returns the limits that a command of an earlier server was started with; null for all rights of the user. They decide
 * about input to it, its stop and the cause of its failure; `before` has the settings of its log.
 */
export function limitsOfDecision(
  decision: Pick<DecisionRecord, 'limits'> | undefined,
  before: Pick<Settings, 'unixSockets'>,
): SandboxLimits | null {
  const { sandbox: mode, network } = decision?.limits ?? { sandbox: 'none', network: true }
  if (mode === 'none' || mode === 'danger-full-access') return null
  return { mode, network, unixSockets: before.unixSockets === true, writableRoots: [], masked: [], scratch: null }
}

function stoppedText(stopped: readonly BackgroundProcess[], mode: Settings['sandbox']): string {
  const names = stopped.map(({ id, argv }) => `${argv.at(-1)} (${id})`).join(', ')
  const which = stopped.length === 1 ? 'A background command' : `${stopped.length} background commands`
  return `${which} started with more rights than now (${mode}) ${stopped.length === 1 ? 'is' : 'are'} stopped: ${names}. Start it anew under the limits of now.`
}
