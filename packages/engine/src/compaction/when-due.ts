import type { Conversation } from '../conversation/conversation.ts'
import { scaled, tokensOfText } from '../core/view/estimate.ts'
import type { Preview } from '../core/view/view-blocks.ts'
import type { ModelRole, Roles } from '../roles/roles.ts'

/** Share of the limit by which a conversation must have grown since a compaction that left it above the limit. */
const growthShare = 0.2

/** Tokens of messages that must have room beside instructions and tools. */
const leastTokens = 1000

/** Returns the tokens from which on a conversation is compacted by itself; null where the window is not known. */
export function compactionLimit(model: ModelRole): number | null {
  const { contextWindow } = model.current().facts
  const { limit, percent } = model.compaction
  if (contextWindow === null) return limit
  return limit === null ? Math.floor((contextWindow * percent) / 100) : Math.min(limit, contextWindow)
}

/** Tells if the next request would pass the limit, and a compaction may begin by itself. */
export function isWindowFull({ record: { conversation }, model }: Pick<Roles, 'record' | 'model'>): boolean {
  const { view, state } = conversation
  const { compactions } = state.core
  const limit = compactionLimit(model)
  if (limit === null || compactions?.held === true || compactions?.tried === true) return false
  if (!view.request.isAnswered()) return false
  // Instructions and tools alone fill the window: no compaction could help.
  if (asCounted(conversation, leastTokens) > limit) return false
  const before = compactions?.applied.at(-1)?.tokensAfter ?? 0
  const { contextWindow } = model.current().facts
  // A request longer than the window would be refused, however little it has grown.
  const threshold = Math.min(Math.max(limit, before + limit * growthShare), Math.max(limit, contextWindow ?? Infinity))
  return requestTokens(conversation) > threshold
}

/** Estimates the tokens of the next request from the log and its side files, by the newest counts of the provider. */
export function requestTokens(conversation: Conversation, how: Preview = {}): number {
  return asCounted(conversation, conversation.view.request.estimate(conversation.sideFiles, how))
}

/** Converts an estimate of entries to the tokens of a request, with instructions and tools. */
export function asCounted(conversation: Conversation, entryTokens: number): number {
  const { view, sideFiles } = conversation
  const fixed = fixedTokens(conversation)
  const counted = view.request.counted(sideFiles)
  const known = counted === null ? null : { ...counted, estimate: counted.estimate + fixed }
  return scaled(fixed + entryTokens, known)
}

/** Sizes of instructions and of tools by their side file, which never changes. */
const measured = new WeakMap<Conversation, Map<string, number>>()

function fixedTokens(conversation: Conversation): number {
  const { context } = conversation.state.core
  if (context === null) return 0
  const known = measured.get(conversation) ?? new Map<string, number>()
  measured.set(conversation, known)
  return [context.instructions, context.tools].reduce((sum, file) => {
    const tokens = known.get(file) ?? tokensOfText(conversation.sideFiles.readText(file) ?? '')
    known.set(file, tokens)
    return sum + tokens
  }, 0)
}
