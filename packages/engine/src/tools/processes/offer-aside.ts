import { type AsideContent, type CommandEnd, type MovedAside, readAside } from '@parley/host'
import { movedAside, onOneLine } from '@parley/protocol/question'
import type { ToolContext } from '../contract/tool.ts'

interface Offered extends AsideContent {
  readonly moved: MovedAside
}

/** Bytes of all files, with their names, that one question shows. */
const maxShownBytes = 32 * 1024

/**
 * Offers to put back files that a command made to start programs and that were moved aside when it ended. Returns the
 * words about the answer for the model. `isHere`: false for another machine, where nothing is put back.
 */
export async function offerAside(
  { exchanged = [] }: CommandEnd,
  context: Pick<ToolContext, 'user' | 'signal' | 'roots'>,
  isHere: boolean,
): Promise<readonly string[]> {
  const moved = exchanged.flatMap((found) => found.moved ?? [])
  if (moved.length === 0) return []
  const offered: Offered[] = []
  for (const one of isHere ? moved : []) {
    const content = readAside(one)
    if (typeof content === 'string') return [`The user was not asked about it, since ${onOneLine(content)}. ${byPatch}`]
    offered.push({ ...content, moved: one })
  }
  const shown = detailOf(offered)
  if (!isHere || shown === null) return [byPatch]
  const [first] = moved
  const more = moved.length === 1 ? '' : ` and ${moved.length - 1} more`
  const question = {
    title: `Put ${first?.path ?? ''}${more} back? Other programs may start or obey it`,
    detail: `${exchanged.map(({ text }) => text).join('\n')}\n\n${shown}`,
    reason: 'A command made this, and it was moved aside when the command ended. A no leaves it there.',
    rule: { name: movedAside },
    form: { fields: [] },
    // As much as a patch of the same needs.
    reaches: 'danger-full-access' as const,
    check: () => null,
  }
  const reply = await context.user.ask(question, context.signal)
  if (reply.kind === 'cancelled') return [byPatch]
  if (reply.kind === 'declined') return ['The user was asked, and left it aside.']
  return offered.map(({ moved: { path }, putBack }) => {
    const problem = putBack(context.roots)
    return problem === null ? `The user had ${path} put back.` : `${path} could not be put back: ${problem}.`
  })
}

const byPatch = 'If the user wants it, move the file back by apply_patch, which asks.'

/** Returns all files with their content; null where that is too much for a question. */
function detailOf(offered: readonly Offered[]): string | null {
  const files = offered.flatMap((each) => each.files)
  const parts = files.map(
    ({ name, text, isExecutable }) => `${onOneLine(name)}${isExecutable ? ' (executable)' : ''}:\n${text}`,
  )
  const shown = parts.join('\n')
  return Buffer.byteLength(shown) > maxShownBytes ? null : shown
}
