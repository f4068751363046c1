import { graphemes, isUnjoined } from './graphemes.ts'
import { ambiguousWidth, doubleWidth, modifierBase, pictographic, textEmoji, zeroWidth } from './width-table.ts'

/** Cells of characters with ambiguous East Asian width (box drawing, Greek, …). */
export type AmbiguousWidth = 1 | 2

const isZeroWidth = codePointSet(zeroWidth)

const isDoubleWidth = codePointSet(doubleWidth)

const isAmbiguous = codePointSet(ambiguousWidth)

const isTextEmoji = codePointSet(textEmoji)

const isModifierBase = codePointSet(modifierBase)

const isPictographic = codePointSet(pictographic)

const beyondNarrow = /[^ -~\u2500-\u257f]/

const beyondAscii = /[^ -~]/

const zeroWidthJoiner = 0x200d

const textStyle = 0xfe0e

const emojiStyle = 0xfe0f

/** Stands for the missing first jamo of a syllable block, which is as wide as any other. */
const leadFiller = 0x115f

/** Returns the cells of `text` in one terminal row. Control characters count zero, since text is cleaned before. */
export function cellWidth(text: string, ambiguous: AmbiguousWidth = 1): number {
  if (!beyondAscii.test(text)) return text.length
  if (ambiguous === 1 && !beyondNarrow.test(text)) return text.length
  let width = 0
  if (isUnjoined(text)) {
    for (let index = 0; index < text.length; index++) width += codePointWidth(text.charCodeAt(index), ambiguous)
    return width
  }
  for (const grapheme of graphemes(text)) width += graphemeWidth(grapheme, ambiguous)
  return width
}

export function graphemeWidth(grapheme: string, ambiguous: AmbiguousWidth = 1): number {
  const first = grapheme.codePointAt(0) ?? 0
  if (grapheme.length === (first > 0xffff ? 2 : 1)) return codePointWidth(first, ambiguous)
  return clusterWidth(
    Array.from(grapheme, (character) => character.codePointAt(0) ?? 0),
    ambiguous,
  )
}

function codePointWidth(codePoint: number, ambiguous: AmbiguousWidth): number {
  if (codePoint >= 0x20 && codePoint < 0x7f) return 1
  if (isDoubleWidth(codePoint)) return 2
  if (isZeroWidth(codePoint)) return 0
  return ambiguous === 2 && isAmbiguous(codePoint) ? 2 : 1
}

function clusterWidth(cluster: readonly number[], ambiguous: AmbiguousWidth): number {
  const first = cluster[0] ?? 0
  if (cluster.every(isZeroWidth)) return 0
  if (isHangul(first))
    return (first === leadFiller ? 2 : codePointWidth(first, ambiguous)) + 2 * strayModifiers(cluster)
  const start = cluster.findIndex((codePoint) => !isZeroWidth(codePoint))
  const visible = cluster.slice(start)
  if (isTextStyle(visible)) return 1
  return isEmoji(visible) ? 2 + 2 * strayModifiers(visible) : summedWidth(visible, ambiguous)
}

/** Returns true for Hangul; a syllable block is as wide as its first jamo. */
function isHangul(codePoint: number): boolean {
  return (
    (codePoint >= 0x1100 && codePoint <= 0x11ff) ||
    (codePoint >= 0xa960 && codePoint <= 0xa97c) ||
    (codePoint >= 0xac00 && codePoint <= 0xd7fb)
  )
}

/** Returns true for text style in the basic plane, the only one where terminals agree on its width. */
function isTextStyle([base = 0, next]: readonly number[]): boolean {
  return next === textStyle && base < 0x10000 && isColoured(base)
}

/** Returns true for characters drawn as emoji by default. */
function isColoured(codePoint: number): boolean {
  return isDoubleWidth(codePoint) && isPictographic(codePoint) && !isTextEmoji(codePoint)
}

function isEmoji(cluster: readonly number[]): boolean {
  const [base = 0, next] = cluster
  if (isRegionalIndicator(base)) return true
  if (next === emojiStyle && isTextEmoji(base)) return true
  if (next !== undefined && isModifier(next) && isModifierBase(base)) return true
  if (isModifier(base) || isColoured(base)) return true
  return cluster.some((codePoint, at) => at > 0 && cluster[at - 1] === zeroWidthJoiner && isPictographic(codePoint))
}

/** Returns the number of skin tones without a base, each drawn as a swatch. */
function strayModifiers(cluster: readonly number[]): number {
  let strays = 0
  for (let at = 1; at < cluster.length; at++) {
    const before = cluster[at - 1] ?? 0
    if (isModifier(cluster[at] ?? 0) && before !== zeroWidthJoiner && !isModifierBase(before)) strays += 1
  }
  return strays
}

/** Returns the summed cells up to a joiner: spacing marks and conjunct consonants have cells of their own. */
function summedWidth(cluster: readonly number[], ambiguous: AmbiguousWidth): number {
  let width = 0
  for (const codePoint of cluster) {
    if (codePoint === zeroWidthJoiner) break
    width += codePointWidth(codePoint, ambiguous)
  }
  return width
}

function isRegionalIndicator(codePoint: number): boolean {
  return codePoint >= 0x1f1e6 && codePoint <= 0x1f1ff
}

function isModifier(codePoint: number): boolean {
  return codePoint >= 0x1f3fb && codePoint <= 0x1f3ff
}

/** Tests code points against sorted ranges, which are decoded on first use to keep the start fast. */
type CodePointSet = (codePoint: number) => boolean

function codePointSet(encoded: string): CodePointSet {
  let ranges: Uint32Array | undefined
  return (codePoint) => {
    ranges ??= decodeRanges(encoded)
    return contains(ranges, codePoint)
  }
}

function decodeRanges(encoded: string): Uint32Array {
  const steps = encoded.split(' ')
  const bounds = new Uint32Array(steps.length)
  let bound = 0
  for (const [index, step] of steps.entries()) {
    bound += Number.parseInt(step, 36)
    bounds[index] = bound
  }
  return bounds
}

/** Searches `bounds`, which alternates first and last members of ranges, by halving. */
function contains(bounds: Uint32Array, codePoint: number): boolean {
  let low = 0
  let high = bounds.length / 2 - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (codePoint < (bounds[2 * middle] ?? 0)) high = middle - 1
    else if (codePoint > (bounds[2 * middle + 1] ?? 0)) low = middle + 1
    else return true
  }
  return false
}
