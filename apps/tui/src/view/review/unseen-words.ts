import { count } from '@parley/presentation/text/formats'

/** Returns the sentence about files that the model has to read by itself; null without such files. */
export function unseenWords(unseen: readonly string[]): string | null {
  if (unseen.length === 0) return null
  const what = unseen.length === 1 ? '1 file is' : `${count(unseen.length)} files are`
  return `${what} not whole in the message; the model is asked to read the rest by itself: ${namesOf(unseen)}`
}

/** Returns the sentence about files that the model has seen in part only. */
export function notLookedAtWords(files: readonly string[]): string {
  const what = files.length === 1 ? 'a file' : `${count(files.length)} files`
  return `The model was not given all of ${what}, and did not look: ${namesOf(files)}. Review less at once.`
}

const namesShown = 5

function namesOf(names: readonly string[]): string {
  const more = names.length - namesShown
  return `${names.slice(0, namesShown).join(', ')}${more > 0 ? ` and ${count(more)} more` : ''}`
}
