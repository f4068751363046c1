/** The known key that a typing slip most likely meant, or null when none is near. */
export function closestKey(written: string, known: readonly string[]): string | null {
  const [best] = known
    .map((key) => ({ key, distance: editDistance(written.toLowerCase(), key) }))
    .filter(({ key, distance }) => distance <= Math.max(1, Math.floor(key.length / 3)))
    .sort((a, b) => a.distance - b.distance)
  return best?.key ?? null
}

/** Insertions, deletions and replacements between two short texts. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
