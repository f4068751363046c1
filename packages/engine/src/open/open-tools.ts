import type { BackgroundProcesses } from '@parley/host'
import { noticeItem } from '../conversation/notices.ts'
import { unlessStorageFails } from '../conversation/storage-retry.ts'
import type { Forwards } from '../forward/forwards.ts'
import { createFileHistory, type FileHistory } from '../history/file-history.ts'
import { type ConversationHooks, createHooks } from '../hooks/conversation-hooks.ts'
import { hooksOf } from '../hooks/placed-hooks.ts'
import { type ConversationLimits, openLimits } from '../limits/conversation-limits.ts'
import type { OpenParts } from '../load/conversation-parts.ts'
import { envRulesOf } from '../settings/read-config.ts'
import { type ConversationSkills, conversationSkills } from '../skills/conversation-skills.ts'
import type { ToolPorts } from '../tools/contract/define-tool.ts'
import type { ActPorts, OpenEnvironment } from './open-environment.ts'
import type { OpenRecord, RecordPorts } from './open-record.ts'

/** Limits, history, skills and hooks of a conversation, and the ports of its tools. */
export interface OpenTools {
  readonly limits: ConversationLimits
  readonly background: BackgroundProcesses
  readonly forwards: Forwards
  readonly history: FileHistory
  readonly skills: ConversationSkills
  readonly hooks: ConversationHooks
  /** Copies of the hooks on their machine. */
  readonly placed: Disposable
  readonly toolPorts: ToolPorts
}

export interface PlacedConversation {
  readonly parts: OpenParts
  readonly record: OpenRecord
  readonly place: OpenEnvironment
}

export function openTools({ parts, record, place }: PlacedConversation, ports: RecordPorts & ActPorts): OpenTools {
  const { conversation, onFault } = record
  const { environment, project } = place
  const { clock, ids, redaction, home, env, shellParser, projects, processes, editors, notify } = ports
  const { limits, background, tellPrinted, forwards } = openLimits({
    conversation,
    environment,
    home,
    folder: parts.paths.scratch,
    ids,
    onFault,
  })
  const history = openHistory({ parts, record, place }, ports)
  const envRules = envRulesOf(project.config.effective.values.shell_environment)
  const skills = conversationSkills({ home, env, projects, conversation, project }, environment)
  const toolPorts = { environment, background, tellPrinted, shellParser, envRules, redaction, clock, skills, editors }
  const placed = hooksOf(project, { processes, copies: environment.copies })
  const hooks = createHooks({ conversation, limits, toolPorts, project, hooks: () => placed.hooks }, { notify, clock })
  return { limits, background, forwards, history, skills, hooks, placed, toolPorts }
}

function openHistory({ parts, record, place }: PlacedConversation, ports: RecordPorts): FileHistory {
  const { conversation, onFault } = record
  const { clock, ids, content, redaction, report } = ports
  /** A copy may have been made at a server without the contents of its original. */
  const fetch = async (hash: string) => {
    const original = conversation.state.core.meta.forkedFrom?.id
    const own = await content(conversation.id, hash)
    return own === null && original !== undefined ? content(original, hash) : own
  }
  const onUncovered = (title: string, fault?: unknown) => {
    if (fault !== undefined) report(fault)
    const item = noticeItem(ids.item(), { level: 'warning', code: 'changesNotCovered', title })
    unlessStorageFails(() => conversation.record({ type: 'item.completed', item }))
  }
  const history = createFileHistory({
    state: () => conversation.state,
    environment: place.environment,
    folder: parts.paths.snapshots,
    fetch,
    now: clock.now,
    redact: redaction.text,
    onUncovered,
    onFault,
  })
  if (!parts.readOnly) history.begin()
  return history
}
