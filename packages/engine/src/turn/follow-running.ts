import type { ItemId, ItemOf } from '@parley/protocol'
import type { Conversation } from '../conversation/conversation.ts'
import { limitsOfDecision } from '../limits/narrowed-limits.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'
import type { Roles } from '../roles/roles.ts'
import type { ConversationProcesses } from '../session/conversation-processes.ts'
import type { ToolPorts } from '../tools/contract/define-tool.ts'
import { type BackgroundStart, followInBackground } from '../tools/processes/in-background.ts'
import { createLineScan } from '../tools/processes/output-lines.ts'
import { readPattern } from '../tools/processes/output-pattern.ts'
import { commandSpec } from '../tools/run-shell-command.ts'
import type { ShellRunner } from './user-shell.ts'

interface FollowPorts {
  readonly shell: ShellRunner
  readonly processes: Pick<ConversationProcesses, 'waitOn'>
  readonly toolPorts: ToolPorts
  readonly roles: Roles
}

/**
 * Follows commands of the user and background commands that still run since an earlier server ended; a turn follows its
 * own calls. Stops commands with more rights than the settings now allow.
 */
export function followRunning(running: ReadonlyMap<ItemId, number>, ports: FollowPorts): void {
  const { shell, processes, roles } = ports
  const { conversation } = roles.record
  const { open, background = {} } = conversation.state.core
  for (const [itemId, ageMs] of running) {
    const item = open[itemId]?.item
    if (item?.type === 'shellCommand') void shell.follow(item, ageMs).then(() => processes.waitOn(itemId))
    const command = background[itemId] === undefined ? null : conversation.view.calls.answered(itemId)
    if (command?.type !== 'commandExecution') continue
    followOne(command, ageMs, ports)
    processes.waitOn(itemId)
  }
  roles.act.limits.narrowed(roles.record.settingsBefore)
}

type BackgroundItem = ItemOf<'commandExecution'>

function followOne(item: BackgroundItem, ageMs: number, { toolPorts, roles }: FollowPorts): void {
  const { conversation } = roles.record
  const { id: itemId, command: argv, cwd, attempt } = item
  const { folder } = conversation.sideFiles
  const { roots } = workspaceOf(conversation.state)
  const run = { argv, cwd, itemId, attempt: attempt === 2 ? 2 : 1, roots, folder } as const
  const limits = limitsOfDecision(item.decision, roles.record.settingsBefore)
  const followed = { itemId, ageMs, limits, start: startOf(item, conversation) }
  followInBackground(commandSpec(run, toolPorts), followed, toolPorts)
}

function startOf({ id, backgroundStart }: BackgroundItem, conversation: Conversation): BackgroundStart | null {
  if (backgroundStart === undefined) return null
  const { stdin, timeoutMs = null, tellWhen } = backgroundStart
  const pattern = tellWhen === undefined ? null : readPattern(tellWhen)
  const isWaitedFor =
    pattern !== null && !('problem' in pattern) && !wasPrinted(conversation, id, createLineScan(pattern))
  return { tty: stdin === 'terminal', timeoutMs, tellWhen: isWaitedFor ? pattern : null }
}

/** Tells if a notice has said that a command printed a line. */
function wasPrinted({ state }: Conversation, itemId: ItemId, scan: (chunk: Buffer) => string | null): boolean {
  return state.window.some(
    ({ item }) => item.type === 'notice' && item.printed === itemId && scan(Buffer.from(`${item.text}\n`)) !== null,
  )
}
