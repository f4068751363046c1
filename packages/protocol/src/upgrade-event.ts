import { eventVersion } from './version.ts'

/** An event as a log holds it, of any version. */
export type StoredEvent = { readonly type: string } & Readonly<Record<string, unknown>>

/**
 * Translates an event that was written in an earlier version into the words of `eventVersion`. An event that has those
 * words already, and what no version knows, comes back as it is, the same object: whoever adds a version keeps to that,
 * since a log may have newer events than its version says.
 */
export function upgradeEvent(event: StoredEvent, version: number): StoredEvent {
  const steps = upgrades.slice(Math.max(0, version - 1), eventVersion - 1)
  return steps.reduce((upgraded, upgrade) => upgrade(upgraded), event)
}

type Upgrade = (event: StoredEvent) => StoredEvent

/** At place 0 the step from version 1 to 2, and so on. */
const upgrades: readonly Upgrade[] = [fromVersion1]

/** Types of version 1 that say the same under another name. */
const newTypes = new Map([
  ['item.began', 'execution.started'],
  ['item.attempted', 'execution.failed'],
])

/** What changed in the fields of an event, by its type of version 1. */
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

type Fields = Readonly<Record<string, unknown>>

/** D was full access, which the sandbox mode says. */
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

function settingsOf(settings: Fields): Fields {
  const enforcement = enforcements.get(settings['tier'])
  return enforcement === undefined ? settings : renamed({ ...settings, tier: enforcement }, { tier: 'enforcement' })
}

function itemOf(item: Fields): Fields {
  const told = item['status'] === 'declined' ? { ...item, status: 'denied' } : item
  return renamed(told, { sandboxDenial: 'sandboxBlock' })
}

/** `environment` was what `env` is now, so only variables go there: in version 2 it is a name. */
function approvalOf(approval: Fields): Fields {
  const variables = isFields(approval['environment']) ? renamed(approval, { environment: 'env' }) : approval
  return renamed(variables, { place: 'environment' })
}

/** The event with one of its objects changed, or the same one. */
function within(event: StoredEvent, key: string, change: (fields: Fields) => Fields): StoredEvent {
  const fields = event[key]
  if (!isFields(fields)) return event
  const changed = change(fields)
  return changed === fields ? event : { ...event, [key]: changed }
}

/** Keys keep their places, so that `type` stays the first. */
function renamed(fields: Fields, names: Readonly<Record<string, string>>): Fields {
  if (!Object.keys(names).some((name) => Object.hasOwn(fields, name))) return fields
  const entries = Object.entries(fields).map(([key, value]): [string, unknown] => [
    (Object.hasOwn(names, key) ? names[key] : undefined) ?? key,
    value,
  ])
  return Object.fromEntries(entries)
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
