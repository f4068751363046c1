import { setTimeout as pause } from 'node:timers/promises'

/** Answers in a row without progress after which the rest is given up. */
const mostStuck = 30
const pauseMs = 500

/** Answer that may lack conversations. Older servers leave the number out instead of sending 0. */
interface CountedAnswer {
  readonly unread?: number
}

/** Last answer, and the number of conversations that it lacks. */
interface WholeAnswer<Answer> {
  readonly answer: Answer
  readonly unread: number
}

/**
 * Asks until an answer has all conversations, or for half a minute without progress, as with a store in trouble. `say`
 * is called after each answer with the number of missing conversations.
 */
export async function untilWhole<Answer extends CountedAnswer>(
  ask: () => Promise<Answer>,
  say: (unread: number) => void,
  wait: () => Promise<unknown> = () => pause(pauseMs),
): Promise<WholeAnswer<Answer>> {
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

/** Returns a function that shows on a terminal how many conversations are left, in one row that is cleared at the end. */
export function createProgress(
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

/** Returns a sentence about the conversations that an answer lacks. */
export function missingText(unread: number): string {
  const what = unread === 1 ? '1 conversation is' : `${unread} conversations are`
  return `${what} missing: the store did not give all of it. Try again later.`
}
