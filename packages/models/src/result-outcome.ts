import type { ResultEntry } from './port.ts'
import type { CallOutcome } from './recording.ts'

/**
 * How a call ended, most exact first, told from the text that the model is given: a denied call is worded by the engine
 * ("Not run: the user denied this", then the note if there is one), and what was merely interrupted has failed.
 */
export function outcomesOf({ text, isError }: ResultEntry): readonly CallOutcome[] {
  if (!isError) return ['ok']
  if (/^not run: the user (?:denied this|declined)(?: and says:| —) \S/i.test(text)) return ['deniedWithNote', 'denied']
  return /^not run: /i.test(text) && !/interrupted|was cut here/i.test(text) ? ['denied'] : ['failed']
}
