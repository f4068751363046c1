/** Files and folders of a folder, for completing paths. Grows while they are being listed. */
export interface FileList {
  /** Absolute path; entries are relative to it. */
  readonly folder: string
  /** Relative paths; folders end in a slash. Entries from index `count` on belong to a later list. */
  readonly paths: readonly string[]
  /** The same in lower case. */
  readonly lowered: readonly string[]
  readonly count: number
  readonly isWhole: boolean
}

/** Arguments with which ripgrep prints the files that git does not ignore, each path ending in a NUL. */
export const listingArguments: readonly string[] = [
  ...['--no-config', '--files', '--hidden', '--no-messages', '--no-require-git', '-0', '--glob=!.git'],
]

/** Growing list of files. Its lists share the same arrays, so that nothing is copied. */
export interface FileListing {
  /** Adds a piece of ripgrep's output for `listingArguments`. Returns the number of files so far. */
  take(text: string): number
  /** Adds files by their relative paths, and the folders on the way to them. */
  add(paths: readonly string[]): void
  list(isWhole: boolean): FileList
}

export function newListing(folder: string): FileListing {
  const paths: string[] = []
  const lowered: string[] = []
  const folders = new Set<string>()
  let rest = ''
  let taken = 0
  const push = (path: string) => {
    paths.push(path)
    lowered.push(path.toLowerCase())
  }
  const add = (files: readonly string[]) => {
    for (const file of files) {
      for (const parent of newParents(file, folders)) push(parent)
      push(file)
    }
  }
  return {
    take(text) {
      const files = (rest + text).split('\0')
      rest = files.pop() ?? ''
      taken += files.length
      add(files.filter(isPlain))
      return taken
    },
    add,
    list: (isWhole) => ({ folder, paths, lowered, count: paths.length, isWhole }),
  }
}

/** Returns false for a name that the text of a message cannot show exactly. */
function isPlain(path: string): boolean {
  return !/[\x00-\x1f\x7f-\x9f"]/.test(path)
}

/** Returns the folders of a file that are not known yet, and adds them to the known ones. */
function newParents(file: string, known: Set<string>): readonly string[] {
  const found: string[] = []
  let end = file.lastIndexOf('/')
  while (end !== -1) {
    const parent = file.slice(0, end + 1)
    if (known.has(parent)) break
    known.add(parent)
    found.push(parent)
    end = file.lastIndexOf('/', end - 1)
  }
  return found
}
