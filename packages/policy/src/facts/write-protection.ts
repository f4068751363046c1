import { guardText } from '@parley/host'
import { isSecret, liesWithin, type Place, type SecretPlaces } from '@parley/workspace'

export interface Writable {
  /** The writable folders, absolute. */
  readonly roots: readonly string[]
  readonly secrets: SecretPlaces
  /** Asks the machine on which the paths are. */
  readonly guardOf: Place['guardOf']
}

/** Tells why each place is not written to without a question though it may lie in a writable folder, or null. */
export async function writeProtections(
  places: readonly string[],
  { roots, secrets, guardOf }: Writable,
): Promise<readonly (string | null)[]> {
  const kinds = await guardOf(places, roots)
  return places.map((place, index) => {
    if (isSecret(place, secrets)) return 'lies where secrets are kept'
    const kind = kinds[index] ?? null
    return kind === null ? null : guardText(kind)
  })
}

/** The innermost root that holds a path. */
export function rootOf(path: string, roots: readonly string[]): string | null {
  const holding = roots.filter((root) => liesWithin(path, root)).sort((a, b) => b.length - a.length)
  return holding[0] ?? null
}
