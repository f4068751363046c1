import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Returns the user that a file belongs to where it is neither this user nor root; null otherwise. For root, the owner of
 * the file's folder counts as well: homes are handed to containers that way. `facts` are those of the open file.
 */
export function foreignOwner(path: string, facts: { readonly uid: number }): number | null {
  const own = process.getuid?.()
  if (own === undefined || facts.uid === own || facts.uid === 0) return null
  if (own === 0 && statSync(dirname(path), { throwIfNoEntry: false })?.uid === facts.uid) return null
  return facts.uid
}
