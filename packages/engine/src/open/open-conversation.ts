import { secretsOfConfig } from '@parley/config'
import type { LiveConversation } from '../live/live-conversation.ts'
import type { OpenConversation, OpenParts } from '../load/conversation-parts.ts'
import { readGivenRules } from '../policy/read-rules.ts'
import { type ConfigHere, configHere, configOnly, readConfig } from '../settings/read-config.ts'
import { attach } from './attach.ts'
import { type ActPorts, openEnvironment } from './open-environment.ts'
import { openRecord, type RecordPorts } from './open-record.ts'
import { openTools } from './open-tools.ts'
import { openTurns, type TurnPorts } from './open-turns.ts'

/** Ports of the server that conversations are opened with. */
export interface SetupPorts extends RecordPorts, ActPorts, TurnPorts {}

/**
 * Opens a conversation in stages, each with the closed values of earlier ones: record → environment → tools → turns →
 * attach. Rejects when a new conversation could not work in its environment.
 */
export async function openConversation(opening: OpenConversation, ports: SetupPorts): Promise<LiveConversation> {
  const { parts } = opening
  const config = configOf(parts, ports)
  const givenRules = await readGivenRules(ports, parts)
  await ports.keys.learn(parts.state.core.settings.modelProvider)
  // Before any text is taken.
  ports.redaction.learn(secretsOfConfig(config.effective, ports.env))
  const record = openRecord(opening, ports)
  const place = openEnvironment({ parts, record, config }, ports)
  const tools = openTools({ parts, record, place }, ports)
  const turns = openTurns({ parts, record, place, tools, givenRules }, ports)
  return attach({ parts, record, place, tools, turns }, ports)
}

/** Returns the configuration, without a project for a view and for a conversation of another machine. */
function configOf({ state, overrides, readOnly }: OpenParts, { home, projects }: ActPorts): ConfigHere {
  const { meta, settings } = state.core
  if (!readOnly && settings.environment === undefined)
    return configHere(meta.cwd, configOnly(overrides), { home, projects })
  const effective = readConfig(home, configOnly(overrides))
  return { effective, own: effective.values, project: null }
}
