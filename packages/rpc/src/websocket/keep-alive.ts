export interface Signs {
  /** Bytes ever read from the far side. */
  readonly readBytes: number
  /** Bytes that the far side has yet to take. */
  readonly unsentBytes: number
  /** Whether we read at all: an owner that pulls nothing cannot blame the far side for its silence. */
  readonly reading: boolean
}

/**
 * Called at a fixed beat: `ask` to send a ping, `gone` once the far side gave no sign of life for `maxSilentBeats`
 * beats although it was asked. A sign is anything read, or, while nothing is read, anything taken.
 */
export function createKeepAlive(maxSilentBeats: number): (now: Signs) => 'ask' | 'gone' {
  let before: Signs | undefined
  let silentBeats = 0

  function beat(now: Signs): 'ask' | 'gone' {
    silentBeats = before !== undefined && isSilent(before, now) ? silentBeats + 1 : 0
    before = now
    return silentBeats >= maxSilentBeats ? 'gone' : 'ask'
  }

  return beat
}

function isSilent(before: Signs, now: Signs): boolean {
  if (now.readBytes !== before.readBytes) return false
  if (now.reading && before.reading) return true
  return now.unsentBytes > 0 && now.unsentBytes >= before.unsentBytes && before.unsentBytes > 0
}
