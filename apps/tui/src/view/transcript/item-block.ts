import { reasoningHeading } from '@parley/presentation/items/item-words'
import { showEffects, stripEffects } from '@parley/presentation/text/control-characters'
import type { Line, Room } from '@parley/presentation/text/span'
import { truncateLine } from '@parley/presentation/text/truncate'
import { type Item, type ItemOf, shownReviewRequest } from '@parley/protocol'
import { lineCount } from '@parley/text'
import { renderMarkdown } from '../markdown/render.ts'
import { type Clip, clipRows, foldHint } from '../text/fit-rows.ts'
import { banded, marked, textRows } from '../text/gutter.ts'
import { authorRows, type TranscriptBlock } from './block.ts'
import { commandBlock, toolBlock } from './call-block.ts'
import { changeBlock } from './change-block.ts'
import { compactionBlock } from './compaction-block.ts'
import { noticeBlock } from './notice-block.ts'

/** Returns the block of a finished item. `author`: name of another client that sent it. */
export function itemBlock(item: Item, room: Room, author: string | null = null): TranscriptBlock {
  switch (item.type) {
    case 'userMessage':
      return { kind: 'user', lines: [...userRows(item, room), ...authorRows(author, room)] }
    case 'agentMessage':
      return { kind: 'message', lines: renderMarkdown(item.text, room) }
    case 'reasoning':
      return { kind: 'reasoning', lines: reasoningRows(item, room) }
    case 'commandExecution':
    case 'shellCommand':
      return commandBlock(item, room, author)
    case 'fileChange':
      return changeBlock(item, room)
    case 'toolCall':
      return toolBlock(item, room)
    case 'contextCompaction':
      return compactionBlock(item, room)
    case 'notice':
      return noticeBlock(item, room, author)
    default:
      return unknownBlock(item, room)
  }
}

function userRows({ text, content }: ItemOf<'userMessage'>, room: Room): readonly Line[] {
  const review = shownReviewRequest(text)
  if (review !== null) return banded(textRows(stripEffects(review), room), room)
  const rows = textRows(stripEffects(text).trimEnd(), room)
  return banded(clipRows(rows, { ...ownTextClip, alsoHidden: linesInFiles(content) }), room)
}

/** Returns the lines of long texts that the message itself does not have. */
function linesInFiles(content: ItemOf<'userMessage'>['content']): number {
  return content.reduce((sum, part) => {
    if (part.type !== 'text' || part.totalLines === undefined) return sum
    return sum + Math.max(0, part.totalLines - lineCount(part.text))
  }, 0)
}

/** Rows of a message of the user: more was pasted. */
const ownTextClip: Clip = { head: 10, tail: 3, hint: foldHint }

/** Returns reasoning folded to its newest heading or first line. */
export function reasoningRows(item: Pick<ItemOf<'reasoning'>, 'text'>, room: Room): readonly Line[] {
  const heading = reasoningHeading(item)
  if (heading === '') return []
  return [truncateLine([{ text: `• Thought  ${heading}`, tone: 'muted', italic: true }], room)]
}

/** Returns title and text of an item type that only a newer server knows. */
function unknownBlock(item: { readonly title: string; readonly text: string }, room: Room): TranscriptBlock {
  const rows = textRows(showEffects(item.title), room, { bold: true })
  const text = clipRows(textRows(showEffects(item.text), room), { head: 20, tail: 5 })
  return { kind: 'call', lines: marked({ text: '·' }, [...rows, ...text]) }
}
