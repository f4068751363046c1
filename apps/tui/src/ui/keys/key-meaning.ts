import { type KeyAct, type KeyCondition, type KeyPlace, type KeyRow, keySections } from './key-table.ts'

/** State that decides what keys do. */
export interface Situation {
  /** Places that hold, the innermost first. */
  readonly places: readonly KeyPlace[]
  readonly holds: (condition: KeyCondition) => boolean
}

const rowsByPlace: ReadonlyMap<KeyPlace, readonly KeyRow[]> = collectRows()

function collectRows(): ReadonlyMap<KeyPlace, readonly KeyRow[]> {
  const rows = new Map<KeyPlace, readonly KeyRow[]>()
  // A section of few places is more specific than one of many.
  const sections = keySections.toSorted((one, other) => one.places.length - other.places.length)
  for (const section of sections) {
    for (const place of section.places) rows.set(place, [...(rows.get(place) ?? []), ...section.rows])
  }
  return rows
}

/** Returns the act of the key; null for a key that the innermost place handles as input. */
export function actOfKey(key: string, { places, holds }: Situation): KeyAct | null {
  for (const place of places) {
    const rows = rowsByPlace.get(place) ?? []
    const found = rows.find(({ keys, when }) => keys.includes(key) && (when === undefined || holds(when)))
    if (found !== undefined) return found.act
  }
  return null
}

/** Places on the screen, now and before the last change. */
export interface ShownPlaces {
  readonly now: readonly KeyPlace[] | null
  readonly before: readonly KeyPlace[]
  /** Time at which they changed other than by a key, in ms since the epoch. */
  readonly changedAtMs: number
}

export const noPlaces: ShownPlaces = { now: null, before: [], changedAtMs: Number.NEGATIVE_INFINITY }

/** Time after a change of meaning during which a key does nothing. */
export const settleMs = 300

/** Records the places of a frame. */
export function notePlaces(shown: ShownPlaces, places: readonly KeyPlace[], nowMs: number): ShownPlaces {
  if (shown.now === null) return placedByKey(places)
  return isSamePlaces(shown.now, places) ? shown : { now: places, before: shown.now, changedAtMs: nowMs }
}

/** Records places that a key brought about: its user expects them. */
export function placedByKey(places: readonly KeyPlace[]): ShownPlaces {
  return { now: places, before: places, changedAtMs: Number.NEGATIVE_INFINITY }
}

/** Returns true if the key did something else a moment ago, before the places changed without a key. */
export function isMeaningNew(shown: ShownPlaces, key: string, situation: Situation, nowMs: number): boolean {
  if (nowMs - shown.changedAtMs >= settleMs) return false
  return actOfKey(key, { ...situation, places: shown.before }) !== actOfKey(key, situation)
}

export function isSamePlaces(one: readonly KeyPlace[], other: readonly KeyPlace[]): boolean {
  return one.length === other.length && one.every((place, index) => place === other[index])
}
