import type { ModelEntry, ModelRequest } from '@parley/models'
import type { ResultOf } from '@parley/protocol'
import { type Counted, scaled, tokensOfEntry, tokensOfText } from '../core/view/estimate.ts'

type ContextUse = ResultOf<'conversation/context'>
type Part = ContextUse['parts'][number]

interface UseParts {
  readonly request: ModelRequest
  /** Paths of the AGENTS.md files in the instructions. */
  readonly instructionFiles: readonly string[]
  /** Count of the newest call beside the estimate of its entries; null before the first. */
  readonly counted: Counted | null
  readonly contextWindow: number | null
}

/** Returns what fills the context in a request, by estimates that are scaled to the provider's count of the newest call. */
export function contextUse({ request, instructionFiles, counted, contextWindow }: UseParts): ContextUse {
  const { tools, entries } = request
  const { own, files } = splitInstructions(request.instructions, instructionFiles)
  const outputs = entries.filter(({ kind }) => kind === 'result')
  const talk = entries.filter(({ kind }) => kind !== 'result')
  const fixed: readonly Part[] = [
    { kind: 'instructions', tokens: tokensOfText(own), count: 1 },
    { kind: 'files', tokens: tokensOfText(files), count: instructionFiles.length },
    { kind: 'tools', tokens: tokensOfText(JSON.stringify(tools)), count: tools.length },
  ]
  const fixedTokens = fixed.reduce((sum, { tokens }) => sum + tokens, 0)
  const known = counted === null ? null : { ...counted, estimate: counted.estimate + fixedTokens }
  const parts = [
    ...fixed,
    { kind: 'talk', tokens: sumOf(talk), count: talk.length } as const,
    { kind: 'outputs', tokens: sumOf(outputs), count: outputs.length } as const,
  ].map((part) => ({ ...part, tokens: scaled(part.tokens, known) }))
  const tokens = parts.reduce((sum, part) => sum + part.tokens, 0)
  return { contextWindow, tokens, isScaled: known !== null && known.inputTokens > 0, parts }
}

/** Separates the AGENTS.md files, which follow the built-in instructions. */
function splitInstructions(text: string, paths: readonly string[]): { readonly own: string; readonly files: string } {
  const [first] = paths
  const at = first === undefined ? -1 : text.indexOf(`# Instructions from ${first}`)
  return at < 0 ? { own: text, files: '' } : { own: text.slice(0, at), files: text.slice(at) }
}

function sumOf(entries: readonly ModelEntry[]): number {
  return entries.reduce((sum, entry) => sum + tokensOfEntry(entry), 0)
}
