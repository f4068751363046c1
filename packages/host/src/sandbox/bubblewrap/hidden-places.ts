import { lstatSync, realpathSync } from 'node:fs'

export interface HiddenPlaces {
  readonly folders: readonly string[]
  readonly files: readonly string[]
}

/** Those of the paths that are there, by what has to be put over them; where one is a link, over what it leads to. */
export function hiddenPlaces(paths: readonly string[]): HiddenPlaces {
  const folders = new Set<string>()
  const files = new Set<string>()
  for (const path of paths) {
    const place = realOf(path)
    if (place === null || place === '/') continue
    const isFolder = lstatSync(place, { throwIfNoEntry: false })?.isDirectory()
    if (isFolder !== undefined) (isFolder ? folders : files).add(place)
  }
  return { folders: [...folders], files: [...files] }
}

/** Null for what is not there or is closed to us, and so to a command, which is the same user. */
export function realOf(path: string): string | null {
  try {
    return realpathSync.native(path)
  } catch {
    return null
  }
}
