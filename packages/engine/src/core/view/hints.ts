import { type CallHint, type CallItem, hintsOf } from '@parley/protocol'

interface HintedText {
  readonly modelText?: string
  readonly hints?: readonly CallHint[]
}

/** Returns an item or outcome with a sentence of parley at the end of its result; the same one without a sentence. */
export function withHint<Hinted extends HintedText>(
  item: Hinted,
  about: CallHint['about'],
  text: string | null,
): Hinted {
  if (text === null) return item
  return {
    ...item,
    modelText: `${item.modelText ?? ''}\n${text}`,
    hints: [...(item.hints ?? []), { about, text }],
  }
}

/** Returns the result of a call without the sentences of parley that `leavesOut` names. */
export function resultWithout(item: CallItem, leavesOut: (about: CallHint['about']) => boolean): string {
  const { modelText = '' } = item
  const hints = hintsOf(item)
  const end = linesOf(hints)
  if (!modelText.endsWith(end)) return modelText
  const kept = linesOf(hints.filter(({ about }) => !leavesOut(about)))
  return `${modelText.slice(0, modelText.length - end.length)}${kept}`
}

function linesOf(hints: readonly CallHint[]): string {
  return hints.map(({ text }) => `\n${text}`).join('')
}
