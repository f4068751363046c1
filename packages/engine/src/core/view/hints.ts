import { type CallHint, type CallItem, hintsOf } from '@parley/protocol'

/** Returns the item with a sentence of parley at the end of its result; the item itself without a sentence. */
export function withHint<Call extends CallItem>(item: Call, about: CallHint['about'], text: string | null): Call {
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
