import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { ConversationCore, FoundPart } from '@parley/protocol'
import { onOneLine } from '@parley/protocol/question'
import { announcedSettings, type SettingsInForce } from './settings/session-settings.ts'
import { slashCommands } from './slash-commands.ts'

/** Returns the updates that bring a client to the current settings, title, usage and commands, one of each kind. */
export function currentUpdates(
  core: ConversationCore,
  inForce: SettingsInForce,
  parts: readonly FoundPart[],
): SessionUpdate[] {
  const own = slashCommands.map(({ name, description, hint }) => announced(name, description, hint))
  const found = parts
    .filter(
      ({ name, state, forUser }) => state === 'ready' && forUser && !slashCommands.some((one) => one.name === name),
    )
    .map(({ name, description, argumentHint }) => announced(name, onOneLine(description), argumentHint))
  return [
    ...settingsUpdates(inForce),
    { sessionUpdate: 'available_commands_update', availableCommands: [...own, ...found] },
    ...infoUpdate(core),
    ...usageUpdate(core.usage),
  ]
}

function announced(name: string, description: string, hint: string | undefined) {
  return { name, description, ...(hint === undefined ? {} : { input: { hint } }) }
}

/** Returns the updates of the values that the answer to an opening announces. */
export function settingsUpdates(inForce: SettingsInForce): SessionUpdate[] {
  const { modes, configOptions } = announcedSettings(inForce)
  return [
    { sessionUpdate: 'current_mode_update', currentModeId: modes.currentModeId },
    { sessionUpdate: 'config_option_update', configOptions },
  ]
}

function infoUpdate({ meta }: ConversationCore): SessionUpdate[] {
  const title = meta.name ?? meta.title
  return title === '' ? [] : [{ sessionUpdate: 'session_info_update', title }]
}

function usageUpdate({ last, total, contextWindow }: ConversationCore['usage']): SessionUpdate[] {
  if (last === null || contextWindow === null) return []
  const cost = total.costUsd === undefined ? {} : { cost: { amount: total.costUsd, currency: 'USD' } }
  return [{ sessionUpdate: 'usage_update', used: last.inputTokens + last.outputTokens, size: contextWindow, ...cost }]
}

/**
 * Returns the function that sends every update of `read`, which has one of each kind, that differs from the client's:
 * from `known` and what was sent. A client that does not read gets the newest later, so that none waits in memory.
 */
export function sendLatest(
  known: readonly SessionUpdate[],
  read: () => readonly SessionUpdate[],
  send: (update: SessionUpdate) => Promise<void>,
): () => void {
  const sent = new Map(known.map((update) => [update.sessionUpdate, JSON.stringify(update)]))
  let isSending = false

  function nextChanged(): SessionUpdate | undefined {
    const changed = read().find((update) => sent.get(update.sessionUpdate) !== JSON.stringify(update))
    if (changed !== undefined) sent.set(changed.sessionUpdate, JSON.stringify(changed))
    return changed
  }

  async function sendChanged(): Promise<void> {
    if (isSending) return
    isSending = true
    try {
      for (let update = nextChanged(); update !== undefined; update = nextChanged()) await send(update)
    } finally {
      isSending = false
    }
  }

  // A client that is gone gets nothing more.
  return () => void sendChanged().catch(() => undefined)
}
