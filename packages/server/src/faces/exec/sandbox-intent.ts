import { processErrors } from './exec-errors.ts'

/**
 * This build confines nothing. A request to do so is refused and nothing is done: run anyway, it would look confined.
 * What we do not know to mean "without" counts as such a request.
 */
export function assertUnconfined(intent: unknown): void {
  if (intent === undefined || intent === null || isWithout(intent)) return
  throw processErrors.sandboxUnavailable()
}

function isWithout(intent: unknown): boolean {
  if (typeof intent === 'string') return intent === 'danger-full-access'
  if (typeof intent !== 'object' || intent === null) return false
  return ('type' in intent && isWithout(intent.type)) || ('mode' in intent && isWithout(intent.mode))
}
