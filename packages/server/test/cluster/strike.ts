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
 * Strikes while all talk; each then ends a turn that began later. Resolves to the times in ms that those who were struck
 * saw nothing.
 */
export async function strikeWhileTalking(
  talks: readonly Talk[],
  struck: readonly Talk[],
  strike: () => Promise<void>,
): Promise<number[]> {
  const over = new AbortController()
  const talking = Promise.all(talks.map((talk) => talk.turnsUntil(over.signal)))
  await Promise.race([strike(), talking])
  for (const talk of struck) talk.takeLongestGap()
  over.abort()
  await talking
  return struck.map((talk) => talk.takeLongestGap())
}
