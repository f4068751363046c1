import type { ModelFailure } from '@parley/models'
import type { ConversationState, Failure, ItemId } from '@parley/protocol'
import { asSentence } from '@parley/text'
import type { Conversation } from '../conversation/conversation.ts'
import { isFree, pieceAt, type RequestPiece } from '../core/view/request-pieces.ts'

/** Returns the failure of a model call; one of a refused request names the parts that it is about, and what helps. */
export function failureOfCall(conversation: Conversation, failure: ModelFailure): Failure {
  const plain = toFailure(failure)
  if (failure.refused === undefined) return plain
  const pieces = conversation.view.request.pieces(conversation.sideFiles)
  const found = failure.refused.map((entry) => pieceAt(pieces, entry)).filter((piece) => piece !== null)
  const named = [...new Set(found)]
  // The named parts always stay, or nothing could be left out yet.
  if ((failure.refused.length > 0 && named.length === 0) || !pieces.some(isFree)) return plain
  const what = wordsOf(named)
  const help =
    named.length === 0
      ? 'It names no part of the conversation. `/repair half` leaves out the newest half and goes on.'
      : `That is ${what}. \`/repair\` leaves it out and goes on, as \`parley exec --repair\` does.`
  return {
    ...plain,
    message: `${asSentence(failure.message)} ${help}`,
    refused: { itemIds: itemIdsOf(named, conversation.state), seqs: named.map(({ seq }) => seq), what },
  }
}

/** Characters of a part that are quoted. */
const quoted = 60

/** Returns what parts of a request are, for people. */
export function wordsOf(pieces: readonly RequestPiece[]): string {
  const [first, ...others] = pieces
  if (first === undefined) return ''
  return others.length === 0 ? pieceWords(first) : `${pieceWords(first)} and ${others.length} more`
}

function pieceWords({ kind, itemIds, words }: RequestPiece): string {
  const [...characters] = words.replace(/\s+/g, ' ').trim()
  const begin = characters.length > quoted ? `${characters.slice(0, quoted).join('')}…` : characters.join('')
  const quote = begin === '' ? '' : ` "${begin}"`
  if (kind === 'message') return `a message of the user${quote}`
  if (kind === 'summary') return `the summary of an earlier part${quote}`
  if (kind === 'note') return 'a note of the program'
  return `an answer of the model${quote}${itemIds.length === 0 ? '' : ', with its calls and their results'}`
}

/** Returns the items of parts, with the texts of answers as far as they are among the newest. */
export function itemIdsOf(pieces: readonly RequestPiece[], { window }: ConversationState): ItemId[] {
  return pieces.flatMap(({ seq, kind, itemIds }) => {
    if (kind !== 'answer') return itemIds
    const end = window.findIndex((completed) => completed.seq >= seq)
    const before = window.slice(0, end < 0 ? window.length : end)
    const first = before.findLastIndex(({ item }) => item.type !== 'agentMessage' && item.type !== 'reasoning')
    return [...before.slice(first + 1).map(({ item }) => item.id), ...itemIds]
  })
}

export function toFailure({ code, message, fault, status }: ModelFailure): Failure {
  return { code, message, ...(fault === undefined ? {} : { fault }), ...(status === undefined ? {} : { status }) }
}
