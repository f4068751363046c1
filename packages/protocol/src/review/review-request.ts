export type ReviewTarget =
  | { readonly kind: 'workTree' }
  /** All since the branch left `base`, committed or not. */
  | { readonly kind: 'branch'; readonly base: string }
  /** A commit, or a range `A..B`. */
  | { readonly kind: 'commits'; readonly range: string }
  | { readonly kind: 'patch' }
  /** Words of a client, in place of a target. */
  | { readonly kind: 'words'; readonly text: string }

/**
 * Returns the message that asks for a review, for a turn of purpose `review`. `focus`: the user's words about the focus
 * of the review; may be empty.
 */
export function reviewRequest(target: ReviewTarget, focus = ''): string {
  return [targetWords(target), ...(focus.trim() === '' ? [] : [focus.trim()]), howToReview].join('\n\n')
}

/** Returns a review message for people: the reviewed changes and the user's words; null for other messages. */
export function shownReviewRequest(text: string): string | null {
  const end = text.indexOf(`\n\n${howToReview}`)
  return end < 0 ? null : text.slice(0, end)
}

function targetWords(target: ReviewTarget): string {
  switch (target.kind) {
    case 'workTree':
      return 'Review the changes that are not committed: staged, unstaged and new files.'
    case 'branch':
      return `Review the changes since this branch left ${target.base}, those that are not committed included.`
    case 'commits':
      return `Review the changes of ${target.range}.`
    case 'patch':
      return 'Review this patch. It may not be applied in the working folder.'
    case 'words':
      return target.text
  }
}

const howToReview =
  'Look for faults that matter: wrong behaviour, lost errors, security, missing tests. Read the code around a change before you judge it, and report only what you can show. Change nothing. Call report_findings once with all of them, an empty list where there are none; then sum up in two sentences.'
