/** The name that the word was probably meant to be; null if none is close. */
export function nearest(word: string, names: readonly string[]): string | null {
  const ranked = names
    .map((name) => ({ name, distance: distanceOf(word, name) }))
    .sort((a, b) => a.distance - b.distance)
  const [best] = ranked
  return best !== undefined && best.distance <= Math.max(1, Math.floor(word.length / 2)) ? best.name : null
}

/** How many letters must be put in, taken out or changed. */
function distanceOf(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (const [at, letter] of [...left].entries()) {
    const next = [at + 1]
    for (let column = 1; column <= right.length; column++) {
      const changed = (row[column - 1] ?? 0) + (right[column - 1] === letter ? 0 : 1)
      next.push(Math.min(changed, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[right.length] ?? 0
}
