import { type AsideContent, type CommandEnd, type MovedAside, readAside } from '@parley/host'
import type { ToolContext } from '../tool.ts'

interface Offered extends AsideContent {
  readonly moved: MovedAside
}

/** Bytes of all files that one question shows. */
const maxShownBytes = 32 * 1024

/**
 * Asks whether to put back what a command made to start programs and what was moved aside when it ended. Returns what
 * the model is told of the answer. `isHere`: false for another machine, on which nothing is put back.
 */
export async function offerAside(
  { exchanged = [] }: CommandEnd,
  context: Pick<ToolContext, 'ask' | 'signal' | 'roots'>,
  isHere: boolean,
): Promise<readonly string[]> {
  const moved = exchanged.flatMap((found) => found.moved ?? [])
  const offered = isHere ? moved.flatMap(offeredOf) : []
  const shown = detailOf(offered)
  if (moved.length === 0) return []
  if (offered.length < moved.length || shown === null) return [byPatch]
  const [first] = moved
  const more = moved.length === 1 ? '' : ` and ${moved.length - 1} more`
  const question = {
    title: `Put ${first?.path ?? ''}${more} back? It may start programs`,
    detail: `${exchanged.map(({ text }) => text).join('\n')}\n\n${shown}`,
    reason: 'A command made this, and it was moved aside when the command ended. A no leaves it there.',
    rule: { name: 'builtin:moved-aside' },
    form: { fields: [] },
    check: () => null,
  }
  const reply = await context.ask(question, context.signal)
  if (reply.kind === 'cancelled') return [byPatch]
  if (reply.kind === 'declined') return ['The user was asked, and left it aside.']
  return offered.map(({ moved: { path }, putBack }) => {
    const problem = putBack(context.roots)
    return problem === null ? `The user had ${path} put back.` : `${path} could not be put back: ${problem}.`
  })
}

const byPatch = 'If the user wants it, move the file back by apply_patch, which asks.'

function offeredOf(moved: MovedAside): Offered[] {
  const content = readAside(moved)
  return content === null ? [] : [{ ...content, moved }]
}

/** Returns all files with their content; null where that is too much for a question. */
function detailOf(offered: readonly Offered[]): string | null {
  const files = offered.flatMap((each) => each.files)
  const sizeBytes = files.reduce((sum, { bytes }) => sum + bytes.length, 0)
  if (sizeBytes > maxShownBytes) return null
  return files.map(({ name, bytes }) => `${name}:\n${Buffer.from(bytes).toString('utf8')}`).join('\n')
}
