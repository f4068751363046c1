export interface KeepAliveOptions {
  readonly beatMs: number
  readonly sample: () => KeepAliveSample
  readonly ping: () => void
  /** Called at each beat once the remote end counts as gone. */
  readonly giveUp: () => void
}

export interface KeepAliveSample {
  /** Bytes read from the remote end since the connection opened. */
  readonly readBytes: number
  /** Bytes sent but not yet taken. */
  readonly unsentBytes: number
  /** False while the owner pulls nothing: pongs then stay unread, and silence proves nothing. */
  readonly reading: boolean
}

const maxSilentBeats = 3

/** Pings or gives up at each beat, without keeping the process alive. Returns the function that stops it. */
export function startKeepAlive({ beatMs, sample, ping, giveUp }: KeepAliveOptions): () => void {
  const decide = createKeepAlive(maxSilentBeats)
  const timer = setInterval(() => {
    if (decide(sample()) === 'gone') giveUp()
    else ping()
  }, beatMs)
  timer.unref()
  return () => clearInterval(timer)
}

/**
 * Creates the decision for each beat: `ask` to send a ping, `gone` after `maxSilent` beats in a row without a sign of
 * life. A sign of life is any byte read or, while nothing is read, any byte taken.
 */
export function createKeepAlive(maxSilent: number): (now: KeepAliveSample) => 'ask' | 'gone' {
  let before: KeepAliveSample | undefined
  let silentBeats = 0

  function decide(now: KeepAliveSample): 'ask' | 'gone' {
    silentBeats = before !== undefined && isSilent(before, now) ? silentBeats + 1 : 0
    before = now
    return silentBeats >= maxSilent ? 'gone' : 'ask'
  }

  return decide
}

function isSilent(before: KeepAliveSample, now: KeepAliveSample): boolean {
  if (now.readBytes !== before.readBytes) return false
  if (now.reading && before.reading) return true
  return now.unsentBytes > 0 && now.unsentBytes >= before.unsentBytes && before.unsentBytes > 0
}
