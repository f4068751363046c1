import { actorName, answeredWords } from '@parley/presentation/question/answered-words'
import { count } from '@parley/presentation/text/formats'
import { costText } from '@parley/presentation/text/token-words'
import type { Actor, CallItem, ConversationCore, ItemOf } from '@parley/protocol'

/** Name that the page gives to servers. */
export const pageName = 'parley-web'

/** Returns true for a page of the operator, which needs no name here. */
function isPlainPage({ name, user }: Actor): boolean {
  return name === pageName && user === undefined
}

/** Names the sender of a message; null for a page without a user. */
export function senderWords(by: ItemOf<'userMessage'>['by']): string | null {
  return by === undefined || isPlainPage(by) ? null : `from ${actorName(by)}`
}

/** Names the user who answered about a call, and the answer; null without one, and for a page without users. */
export function answererWords({ decision }: CallItem): string | null {
  const { by, answer } = decision ?? {}
  return by === undefined || answer === undefined || isPlainPage(by) ? null : answeredWords(by, answer)
}

/** Returns the last part of a path. */
export function pathName(path: string): string {
  return /[^/]+$/.exec(path)?.[0] ?? path
}

/** Returns the last part of a folder's path, behind the name of its environment where it is of one. */
export function placeName(cwd: string, environment: string | undefined): string {
  return environment === undefined ? pathName(cwd) : `${environment}:${pathName(cwd)}`
}

/** Returns the share of the context that is used and the cost: `18% of 400,000 · $0.12`; empty before the first call. */
export function usageWords({ last, contextWindow, total }: ConversationCore['usage']): string {
  const share =
    last === null || contextWindow === null
      ? null
      : `${Math.min(100, Math.round(((last.inputTokens + last.outputTokens) / contextWindow) * 100))}% of ${count(contextWindow)}`
  const cost = total.costUsd === undefined || total.costUsd === 0 ? null : costText(total)
  return [share, cost].filter((part) => part !== null).join(' · ')
}
