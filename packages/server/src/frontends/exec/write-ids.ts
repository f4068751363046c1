/** The newest writes by their ids, so that one that is sent again is not delivered again. */
export interface WriteIds {
  /** False when it was seen before. */
  isNew(id: string | null | undefined): boolean
}

const remembered = 1000

export function createWriteIds(): WriteIds {
  const seen = new Set<string>()
  return {
    isNew(id) {
      if (id === null || id === undefined) return true
      if (seen.has(id)) return false
      seen.add(id)
      if (seen.size > remembered) for (const oldest of seen.values().take(1)) seen.delete(oldest)
      return true
    },
  }
}
