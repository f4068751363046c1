import { trustNotice } from '@parley/policy'
import { denyByHook } from '../commands/deny-by-hook.ts'
import { linkNotice } from '../conversation/notices.ts'
import { watchEvents } from '../hooks/watch-events.ts'
import { isBusy, type LiveConversation } from '../live/live-conversation.ts'
import { startProof } from '../load/prove-checkpoint.ts'
import { logConversation } from '../metrics/event-log.ts'
import { writableRules } from '../policy/read-rules.ts'
import { followRunning } from '../turn/follow-running.ts'
import { createUserTyping } from '../turn/user-typing.ts'
import { closeConversation } from './close-conversation.ts'
import { enterEnvironment } from './enter-environment.ts'
import type { ActPorts } from './open-environment.ts'
import type { OpenRecord, RecordPorts } from './open-record.ts'
import type { OpenTools, PlacedConversation } from './open-tools.ts'
import type { OpenTurns, TurnPorts } from './open-turns.ts'

interface EquippedConversation extends PlacedConversation {
  readonly tools: OpenTools
  readonly turns: OpenTurns
}

/** Attaches a conversation to its environment, its hooks and its checkpoint. Rejects when a new one cannot work there. */
export async function attach(
  equipped: EquippedConversation,
  ports: RecordPorts & ActPorts & TurnPorts,
): Promise<LiveConversation> {
  const { parts, record, place, tools, turns: running } = equipped
  const { conversation, onFault } = record
  const { environment, project, release } = place
  const { background, limits, history, hooks, placed, skills, forwards, toolPorts } = tools
  const { turns, roles, mcp, shell, processes, clients } = running
  const { ids, clock, notify, ceiling } = ports
  place.onLinkChange((change) =>
    linkNotice(change, { conversation, notify, newItemId: ids.item, isBusy: () => isBusy(running) }),
  )
  watchForOperator(record, ports)
  // Tool servers may run in the environment.
  const leave = () => Promise.resolve(mcp[Symbol.asyncDispose]()).finally(release)
  const watching = watchEvents({ conversation, hooks, placed, ids, clock, onFault })
  const found = await enterEnvironment({ conversation, environment, roles, project, parts, leave })
  const dispose = startProof({ prove: parts.prove, state: parts.state, dispose: record.dispose }, notify)
  const closing = {
    conversation,
    turns,
    shell,
    clients,
    forwards,
    background,
    limits,
    history,
    watching,
    leave,
    dispose,
  }
  const live: LiveConversation = {
    conversation,
    turns,
    roles,
    shell,
    mcp,
    skills,
    clients,
    processes,
    typing: createUserTyping({ tools: toolPorts, roles }),
    forwards,
    mayWork: environment.mayWork,
    ceiling,
    paths: parts.paths,
    opening: {
      recovered: parts.recovered,
      instructionFiles: found.instructionFiles,
      warnings: [...parts.warnings, ...found.warnings, ...noticesOf(equipped, ports)],
    },
    /** Goes on with commands that run on, and with hooks about waiting questions. */
    takeUp() {
      followRunning(parts.runningOn, { shell, processes, toolPorts, roles })
      watching.takeUp()
    },
    handOver: () => closeConversation(closing, record.owner === null ? 'shutdown' : 'handOver'),
    [Symbol.asyncDispose]: () => closeConversation(closing, 'shutdown'),
  }
  watching.denyWith(denyByHook(live))
  return live
}

/** Counts and logs events, where the operator of the server asks for it. */
function watchForOperator({ conversation }: OpenRecord, { metrics, logEvent, clock }: RecordPorts): void {
  if (metrics !== undefined) conversation.watch(metrics.conversation(clock.elapsed))
  if (logEvent !== undefined) conversation.watch(logConversation(conversation.id, logEvent))
}

function noticesOf({ place, parts }: EquippedConversation, { env }: ActPorts): readonly string[] {
  const notice = trustNotice(place.project.config.project)
  return [...(notice === null ? [] : [notice]), ...writableRules(parts, env['HOME'] ?? '/')]
}
