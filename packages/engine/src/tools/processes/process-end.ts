import type { CommandEnd } from '@parley/host'
import type { EndedCommand, ItemId } from '@parley/protocol'
import { exitWords } from '@parley/text'

/** Returns the heading of a command that may have run to its end, in part or not at all; null for any other. */
export function lostHeading({ reason, lostBecause }: CommandEnd): string | null {
  if (reason !== 'lost') return null
  return `how it ended is unknown: ${lostBecause ?? 'nobody can tell'}. It may have run to its end; look before running it again`
}

/** Returns how a command ended, for the model. */
export function howItEnded(end: CommandEnd): string {
  const lost = lostHeading(end)
  if (lost !== null) return lost
  if (end.signal !== null) return `killed by ${end.signal}`
  return end.exitCode === null ? 'stopped before it ran' : exitWords(end.exitCode)
}

/** Returns the end of a command as events have it. */
export function endedCommand(itemId: ItemId, end: CommandEnd): EndedCommand {
  const { exitCode, signal, reason, durationMs, exchanged } = end
  return {
    itemId,
    ...(exitCode === null || reason === 'lost' ? {} : { exitCode }),
    ...(signal === null ? {} : { signal }),
    ...(reason === 'timedOut' ? { timedOut: true } : {}),
    ...(reason === 'interrupted' ? { stopped: true } : {}),
    ...(exchanged === undefined ? {} : { exchanged: exchanged.map(({ text }) => text) }),
    durationMs: Math.round(durationMs),
  }
}
