/** A text this short says little in pairs of letters: one swap spoils them all. */
const shortLength = 5

/** How alike two texts are, 0 to 1: the share of letter pairs (letters, of short texts) in common, blanks and case aside. */
export function likeness(a: string, b: string): number {
  const [left, right] = [fold(a), fold(b)]
  const width = Math.min(left.length, right.length) <= shortLength ? 1 : 2
  const [leftParts, rightParts] = [partsOf(left, width), partsOf(right, width)]
  if (leftParts.count === 0 || rightParts.count === 0) return left === right ? 1 : 0
  let common = 0
  for (const [part, times] of leftParts.times) common += Math.min(times, rightParts.times.get(part) ?? 0)
  return (2 * common) / (leftParts.count + rightParts.count)
}

function fold(text: string): string {
  return text.replace(/\s+/g, '').toLowerCase()
}

function partsOf(text: string, width: number): { readonly times: ReadonlyMap<string, number>; readonly count: number } {
  const times = new Map<string, number>()
  const count = Math.max(0, text.length - width + 1)
  for (let index = 0; index < count; index++) {
    const part = text.slice(index, index + width)
    times.set(part, (times.get(part) ?? 0) + 1)
  }
  return { times, count }
}
