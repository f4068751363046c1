import { setTimeout as pause } from 'node:timers/promises'

/** Answers in a row without progress after which what is left is given up. */
const mostStuck = 30
const pauseMs = 500

/** Answer of which something may be missing; servers before this version leave the number out where nothing is. */
interface Partial {
  readonly unread?: number
}

/** Last answer, and the number of conversations that it lacks. */
interface Whole<Answer> {
  readonly answer: Answer
  readonly unread: number
}

/**
 * Asks until an answer has all conversations, or until they get no fewer for half a minute, as where a store is in trouble.
 * `say` is called after each answer with the number that it is asked again for.
 */
export async function untilWhole<Answer extends Partial>(
  ask: () => Promise<Answer>,
  say: (unread: number) => void,
  wait: () => Promise<unknown> = () => pause(pauseMs),
): Promise<Whole<Answer>> {
  let fewest = Number.POSITIVE_INFINITY
  for (let stuck = 0; ; stuck++) {
    const answer = await ask()
    const { unread = 0 } = answer
    if (unread < fewest) stuck = 0
    const isLast = unread === 0 || stuck === mostStuck
    say(isLast ? 0 : unread)
    if (isLast) return { answer, unread }
    if (unread >= fewest) await wait()
    fewest = Math.min(fewest, unread)
  }
}

/** Returns what says on a terminal how many are left, in one row that is cleared after the last, or after it is given up. */
export function progressOn(
  stderr: { readonly isTTY?: boolean; write(text: string): unknown },
  text: (unread: number) => string,
): (unread: number) => void {
  let isShown = false
  return (unread) => {
    if (stderr.isTTY !== true || (unread === 0 && !isShown)) return
    stderr.write(`\r\x1b[K${unread === 0 ? '' : text(unread)}`)
    isShown = unread > 0
  }
}

/** Says what an answer lacks, and why. */
export function lackText(unread: number): string {
  const what = unread === 1 ? '1 conversation is' : `${unread} conversations are`
  return `${what} missing: the store did not give all of it. Try again later.`
}
