import { isRecord } from './is-record.ts'
import { nestsDeeperThan, repeatsTopLevelId } from './json-scan.ts'
import { type Incoming, unreadable } from './transport.ts'

/**
 * One JSON text to one incoming message. `JSON.parse` makes `__proto__` an own property, so no prototype changes; its
 * error message is dropped because it quotes the text. Two top-level ids would leave open which request was meant.
 */
export function decodeLine(text: string, maxDepth: number): Incoming {
  if (nestsDeeperThan(text, maxDepth)) return unreadable('tooDeep')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return unreadable('notJson')
  }
  if (isRecord(value) && Object.hasOwn(value, 'id') && repeatsTopLevelId(text)) return unreadable('repeatedId')
  return { kind: 'message', value }
}
