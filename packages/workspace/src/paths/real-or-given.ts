import { realpathSync } from 'node:fs'

/** The path with every link followed, or as it was given where it cannot be. */
export function realOrGiven(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
