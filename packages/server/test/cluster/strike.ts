import { loadavg } from 'node:os'
import { startTalk, type Talk } from './talk.ts'
import type { Team } from './team.ts'

/** What is no hang: a busy machine takes several times as long as a quiet one. */
export const hangMs = 90_000

/** Starts a conversation on each server, in long runs two: they talk without a pause as long as a test lasts. */
export function startTalks(team: Team): Promise<Talk[]> {
  const more = process.env['PARLEY_LONG_TESTS'] === '1' ? team.members : []
  return Promise.all([...team.members, ...more].map((home) => startTalk(team, home)))
}

/**
 * Strikes while all talk; each then ends a turn that began later. Resolves to the longest times in ms that those who were
 * struck saw nothing, from what they saw last before `strike` calls `begins`.
 */
export async function strikeWhileTalking(
  talks: readonly Talk[],
  struck: readonly Talk[],
  strike: (begins: () => void) => Promise<void>,
): Promise<number[]> {
  const over = new AbortController()
  const talking = Promise.all(talks.map((talk) => talk.turnsUntil(over.signal)))
  const begins = () => {
    for (const talk of struck) talk.takeLongestGap()
  }
  await Promise.race([strike(begins), talking])
  over.abort()
  await talking
  return struck.map((talk) => talk.takeLongestGap())
}

/** Tells a list of times for people, with the load that other work was to the machine. */
export function spread(gapsMs: readonly number[]): string {
  const sorted = gapsMs.map(Math.round).toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
  return `${sorted.length} times without an event, in ms: least ${at(0)}, median ${at(0.5)}, p90 ${at(0.9)}, most ${at(1)}, at a load of ${Math.round(loadavg()[0] ?? 0)}`
}
