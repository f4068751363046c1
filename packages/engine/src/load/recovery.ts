import { join } from 'node:path'
import { adoptSideFile, type Files, StorageError, type WritableLog } from '@parley/journal'
import {
  type ConversationEvent,
  type ConversationState,
  type CutOffHooks,
  cutOffHooks,
  type Item,
  type ItemId,
  type ItemOf,
  type LostRange,
  unansweredApprovals,
} from '@parley/protocol'
import { countedNoun } from '@parley/text'
import {
  comparePlan,
  EnvironmentUnreachableError,
  type FileState,
  type PatchTarget,
  readChanges,
} from '@parley/workspace'
import { spoolName } from '../tools/contract/command-output.ts'

/** Returns the events that record a recovery; an empty list when the log was closed in good order. */
export function recoveryEvents(
  { core }: ConversationState,
  opened: WritableLog,
  { settling, goesOn, runningOn }: Settling,
): readonly ConversationEvent[] {
  const lost = opened.lost.map(({ fromSeq, toSeq }) => ({ fromSeq, toSeq, reason: 'damaged' }))
  const tornBytes = opened.torn?.sizeBytes ?? 0
  const waiting = core.inboxPaused ? 0 : core.inbox.length
  const turnGoesOn = goesOn && core.turn?.parked === false && !settling.some(({ type }) => type === 'turn.parked')
  const hooks = cutOffHooks(core, settling)
  const isWhole = settling.length + lost.length + tornBytes + waiting + runningOn.size + hooks.again.length === 0
  if (isWhole && !turnGoesOn) return []
  const parked = settling.find((event) => event.type === 'turn.parked')?.turnId
  const withdrawn = new Set(settling.flatMap((event) => (event.type === 'approval.decided' ? [event.approvalId] : [])))
  const pending = unansweredApprovals(core).filter(({ id }) => !withdrawn.has(id))
  const running = titlesOf(core, runningOn)
  const text = recoveryText({ lost, tornBytes, pending: pending.length, waiting, settling, turnGoesOn, running, hooks })
  return [
    {
      type: 'conversation.recovered',
      by: { pid: process.pid, program: 'parley' },
      lost,
      tornBytes,
      parked: parked ?? (core.turn?.parked === true ? core.turn.id : null),
      pending: pending.map(({ id }) => id),
      text,
    },
    ...settling,
  ]
}

interface Settling {
  readonly settling: readonly ConversationEvent[]
  /** True where a turn that ran goes on: another server of a store may have ended. */
  readonly goesOn: boolean
  readonly runningOn: ReadonlyMap<ItemId, number>
}

function titlesOf({ open, background }: ConversationState['core'], runningOn: Settling['runningOn']) {
  return [...runningOn.keys()].flatMap((itemId) => open[itemId]?.item.title ?? background?.[itemId]?.title ?? [])
}

interface Recovery {
  readonly lost: readonly LostRange[]
  readonly tornBytes: number
  /** Number of approvals that are pending again. */
  readonly pending: number
  /** Number of queued messages that now wait for the user. */
  readonly waiting: number
  readonly settling: readonly ConversationEvent[]
  readonly turnGoesOn: boolean
  /** Titles of the commands that run on. */
  readonly running: readonly string[]
  readonly hooks: CutOffHooks
}

/** Describes a recovery in one line for people. */
function recoveryText(recovery: Recovery): string {
  const { lost, tornBytes, settling, turnGoesOn, hooks } = recovery
  const found = findings(recovery)
  const crashed = lost.length + tornBytes + settling.length + hooks.again.length > 0 || turnGoesOn
  const opening = crashed ? 'Recovered after parley ended unexpectedly' : 'Taken up where it was left'
  return found.length === 0 ? `${opening}.` : `${opening}: ${found.join('; ')}.`
}

function findings({ lost, tornBytes, pending, waiting, settling, turnGoesOn, running, hooks }: Recovery): string[] {
  const items = settling.flatMap((event) => (event.type === 'item.completed' ? [event.item] : []))
  const unknown = items.filter(({ status }) => status === 'unknown').map(({ title }) => title)
  const forgotten = items.filter((item) => 'failure' in item && item.failure?.code === 'secretNotKept').length
  return [
    ...(tornBytes > 0 ? [`an unfinished last line (${tornBytes} bytes) was kept aside`] : []),
    ...(lost.length > 0 ? [`${countedNoun(lost.length, 'damaged place')} in the log skipped`] : []),
    ...(running.length > 0 ? [`still running: ${running.join(', ')}`] : []),
    ...(unknown.length > 0 ? [`started, end unknown: ${unknown.join(', ')}`] : []),
    ...hookFindings(hooks),
    ...(forgotten > 0
      ? [`${countedNoun(forgotten, 'call')} with a secret in it not run: secrets are kept in memory only`]
      : []),
    ...(pending > 0 ? [`${countedNoun(pending, 'approval')} ${pending === 1 ? 'waits' : 'wait'} for you again`] : []),
    ...(turnGoesOn ? ['the turn goes on'] : []),
    ...(waiting > 0 ? [`${countedNoun(waiting, 'queued message')} ${waiting === 1 ? 'waits' : 'wait'} for you`] : []),
  ]
}

function hookFindings({ again, unknown, notRun }: CutOffHooks): string[] {
  const hooks = (names: readonly string[]) => `${names.length === 1 ? 'hook' : 'hooks'} ${names.join(', ')}`
  return [
    ...(again.length > 0 ? [`cut off and run again: ${hooks(again)}`] : []),
    ...(unknown.length > 0 ? [`cut off, end unknown: ${hooks(unknown)}`] : []),
    ...(notRun.length > 0 ? [`not run: ${hooks(notRun)}`] : []),
  ]
}

interface InspectionPorts {
  readonly files: Files
  readonly patches: PatchTarget
  /** Folder of the conversation's side files. */
  readonly folder: string
  readonly cwd: string
}

/** Inspects calls that a crash cut off: compares the files of a patch with its hashes, keeps the output of a command. */
export function inspectUnknown(
  settling: readonly ConversationEvent[],
  ports: InspectionPorts,
): Promise<readonly ConversationEvent[]> {
  return Promise.all(
    settling.map(async (event) =>
      event.type === 'item.completed' && event.item.status === 'unknown'
        ? { ...event, item: await inspected(event.item, ports) }
        : event,
    ),
  )
}

async function inspected(item: Item, ports: InspectionPorts): Promise<Item> {
  if (item.type === 'fileChange') return patchFound(item, ports)
  if (item.type === 'commandExecution' || item.type === 'shellCommand') return outputFound(item, ports)
  return item
}

async function patchFound(item: ItemOf<'fileChange'>, ports: InspectionPorts): Promise<ItemOf<'fileChange'>> {
  try {
    return await patchStates(item, ports)
  } catch (error) {
    if (!(error instanceof EnvironmentUnreachableError)) throw error
    const message = `Its files cannot be read. ${error.message}`
    const modelText = `parley ended while this patch was being written. ${message} Look at them before going on.`
    return { ...item, modelText, failure: { code: 'endUnknown', message } }
  }
}

async function patchStates(
  item: ItemOf<'fileChange'>,
  { patches, cwd }: InspectionPorts,
): Promise<ItemOf<'fileChange'>> {
  const changes = await readChanges(item.changes, cwd, patches)
  const paths = changes.flatMap(({ path, movedTo }) => (movedTo === undefined ? [path] : [path, movedTo]))
  await patches.removeStrays(item.id, paths)
  const states = await comparePlan(changes, patches)
  const report = [verdict(states), ...states.map(({ path, state }) => `${path}: ${stateWords[state]}`)].join('\n')
  const modelText = `parley ended while this patch was being written. ${report}`
  const failure = { code: 'endUnknown', message: verdict(states) }
  return { ...item, text: `${report}\n\n${item.text}`, modelText, failure }
}

const stateWords: Readonly<Record<FileState['state'], string>> = {
  old: 'as before the patch',
  new: 'as the patch leaves it',
  other: 'neither as before nor as the patch leaves it',
}

function verdict(states: readonly FileState[]): string {
  if (states.every(({ state }) => state === 'new')) return 'All of its files are as the patch leaves them.'
  if (states.every(({ state }) => state === 'old')) return 'None of its files was changed.'
  return 'Only a part of it is done.'
}

/** Adopts the spool of an interrupted command, which holds all its output. */
async function outputFound<Command extends ItemOf<'commandExecution' | 'shellCommand'>>(
  item: Command,
  { files, folder }: InspectionPorts,
): Promise<Command> {
  const spool = join(folder, spoolName(item.id))
  const sizeBytes = files.look(spool)?.sizeBytes ?? 0
  if (sizeBytes === 0) return item
  try {
    const file = await adoptSideFile(files, folder, spool)
    const { head = '', tail = '' } = item.output ?? {}
    const shownBytes = Buffer.byteLength(head) + Buffer.byteLength(tail)
    const output = { head, tail, totalBytes: sizeBytes, omittedBytes: Math.max(0, sizeBytes - shownBytes), file }
    return { ...item, output }
  } catch (error) {
    if (error instanceof StorageError) return item
    throw error
  }
}

/** Returns the warning about lines that were edited by hand, if any. */
export function editWarnings(count: number): string[] {
  if (count === 0) return []
  const lines = count === 1 ? '1 line of the log was' : `${count} lines of the log were`
  return [`${lines} edited by hand and taken as found.`]
}
