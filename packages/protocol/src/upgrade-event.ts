import { isRecord } from '@parley/text'
import { eventVersion } from './version.ts'

/** An event as a log holds it, of any version. */
export type StoredEvent = { readonly type: string } & Readonly<Record<string, unknown>>

/** Translates an event of an earlier version into `eventVersion`; others and unknown types stay the same object. */
export function upgradeEvent(event: StoredEvent, version: number): StoredEvent {
  // Every further step has to do so too: a log may have newer events than its version says.
  const steps = upgrades.slice(Math.max(0, version - 1), eventVersion - 1)
  return steps.reduce((upgraded, upgrade) => upgrade(upgraded), event)
}

type Upgrade = (event: StoredEvent) => StoredEvent

/** Steps by version: index 0 leads from version 1 to 2. */
const upgrades: readonly Upgrade[] = [fromVersion1]

/** Types of version 1 that were renamed. */
const newTypes = new Map([
  ['item.began', 'execution.started'],
  ['item.attempted', 'execution.failed'],
])

/** Changes of an event's fields, by its type of version 1. */
const fieldUpgrades = new Map<string, Upgrade>([
  ['conversation.created', (event) => within(event, 'settings', settingsOf)],
  ['conversation.configured', (event) => within(event, 'settings', settingsOf)],
  ['context.set', contextOf],
  ['item.started', (event) => within(event, 'item', itemOf)],
  ['item.attempted', (event) => within(event, 'item', itemOf)],
  ['item.completed', (event) => within(event, 'item', itemOf)],
  ['approval.requested', (event) => within(event, 'approval', approvalOf)],
])

function fromVersion1(event: StoredEvent): StoredEvent {
  const upgraded = fieldUpgrades.get(event.type)?.(event) ?? event
  const type = newTypes.get(event.type)
  return type === undefined ? upgraded : { ...upgraded, type }
}

type EventFields = Readonly<Record<string, unknown>>

/** Tiers of version 1. D was full access, which the sandbox mode expresses. */
const enforcements = new Map<unknown, string>([
  ['A', 'full'],
  ['B', 'partial'],
  ['C', 'none'],
  ['D', 'none'],
])

function contextOf(event: StoredEvent): StoredEvent {
  const fields = renamed(event, { environment: 'sessionContext' })
  return fields === event ? event : { ...fields, type: event.type }
}

function settingsOf(settings: EventFields): EventFields {
  const enforcement = enforcements.get(settings['tier'])
  return enforcement === undefined ? settings : renamed({ ...settings, tier: enforcement }, { tier: 'enforcement' })
}

function itemOf(item: EventFields): EventFields {
  const upgraded = item['status'] === 'declined' ? { ...item, status: 'denied' } : item
  return renamed(upgraded, { sandboxDenial: 'sandboxBlock' })
}

/** Renames fields of an approval. `environment` held variables in version 1 and holds a name in version 2. */
function approvalOf(approval: EventFields): EventFields {
  const variables = isRecord(approval['environment']) ? renamed(approval, { environment: 'env' }) : approval
  return renamed(variables, { place: 'environment' })
}

/** Changes one object within an event. Returns the same event when nothing changes. */
function within(event: StoredEvent, key: string, change: (fields: EventFields) => EventFields): StoredEvent {
  const fields = event[key]
  if (!isRecord(fields)) return event
  const changed = change(fields)
  return changed === fields ? event : { ...event, [key]: changed }
}

/** Renames keys in their places, so that `type` stays the first. */
function renamed(fields: EventFields, names: Readonly<Record<string, string>>): EventFields {
  if (!Object.keys(names).some((name) => Object.hasOwn(fields, name))) return fields
  const entries = Object.entries(fields).map(([key, value]): [string, unknown] => [
    (Object.hasOwn(names, key) ? names[key] : undefined) ?? key,
    value,
  ])
  return Object.fromEntries(entries)
}
