import type { ModelEntry, ModelRequest, UserPart } from '@parley/models'
import type { ResultOf, TokenCounts } from '@parley/protocol'
import { utf8Length } from '@parley/text'

type ContextUse = ResultOf<'conversation/context'>
type Part = ContextUse['parts'][number]

interface UseParts {
  readonly request: ModelRequest
  /** Paths of the AGENTS.md files in the instructions. */
  readonly instructionFiles: readonly string[]
  /** Counts of the newest call; null before the first. */
  readonly last: TokenCounts | null
  readonly contextWindow: number | null
}

/** Returns what fills the context in a request, by estimates that are scaled to the provider's count of the newest call. */
export function contextUse({ request, instructionFiles, last, contextWindow }: UseParts): ContextUse {
  const { tools, entries } = request
  const { own, files } = splitInstructions(request.instructions, instructionFiles)
  const outputs = entries.filter(({ kind }) => kind === 'result')
  const talk = entries.filter(({ kind }) => kind !== 'result')
  const parts: readonly Part[] = [
    { kind: 'instructions', tokens: tokensOfText(own), count: 1 },
    { kind: 'files', tokens: tokensOfText(files), count: instructionFiles.length },
    { kind: 'tools', tokens: tokensOfText(JSON.stringify(tools)), count: tools.length },
    { kind: 'talk', tokens: sumOf(talk), count: talk.length },
    { kind: 'outputs', tokens: sumOf(outputs), count: outputs.length },
  ]
  const factor = factorOf(parts.slice(0, 3), entries, last)
  const scaled = parts.map((part) => ({ ...part, tokens: Math.round(part.tokens * (factor ?? 1)) }))
  const tokens = scaled.reduce((sum, part) => sum + part.tokens, 0)
  return { contextWindow, tokens, isScaled: factor !== null, parts: scaled }
}

/** Separates the AGENTS.md files, which follow the built-in instructions. */
function splitInstructions(text: string, paths: readonly string[]): { readonly own: string; readonly files: string } {
  const [first] = paths
  const at = first === undefined ? -1 : text.indexOf(`# Instructions from ${first}`)
  return at < 0 ? { own: text, files: '' } : { own: text.slice(0, at), files: text.slice(at) }
}

/** Counts that are absurd, as some local servers send them, change an estimate by this factor at most. */
const mostFactor = 4

/** Returns how far the estimate of the newest call with its answer was off; null before the first call. */
function factorOf(fixed: readonly Part[], entries: readonly ModelEntry[], last: TokenCounts | null): number | null {
  const answered = entries.findLastIndex(({ kind }) => kind === 'response')
  if (last === null || last.inputTokens === 0 || answered < 0) return null
  const estimate = fixed.reduce((sum, { tokens }) => sum + tokens, 0) + sumOf(entries.slice(0, answered + 1))
  const counted = last.inputTokens + last.outputTokens - last.reasoningTokens
  return Math.min(mostFactor, Math.max(1 / mostFactor, counted / estimate))
}

function sumOf(entries: readonly ModelEntry[]): number {
  return entries.reduce((sum, entry) => sum + tokensOfEntry(entry), 0)
}

/** Tokens of what surrounds an entry on the wire. */
const entryTokens = 8
/** Tokens of an image; providers count between 500 and 1,600. */
const imageTokens = 1_200
/** Bytes of text that make about one token, in prose and code alike. */
const bytesPerToken = 4

function tokensOfEntry(entry: ModelEntry): number {
  switch (entry.kind) {
    case 'user':
      return entry.content.reduce((sum, part) => sum + tokensOfPart(part), entryTokens)
    case 'result':
      return entryTokens + tokensOfText(entry.text)
    case 'response':
      return entry.calls.reduce(
        (sum, { name, arguments: text }) => sum + entryTokens + tokensOfText(name + text),
        entryTokens + tokensOfText(entry.text),
      )
  }
}

function tokensOfPart(part: UserPart): number {
  return part.type === 'text' ? tokensOfText(part.text) : imageTokens
}

function tokensOfText(text: string): number {
  return Math.ceil(utf8Length(text) / bytesPerToken)
}
