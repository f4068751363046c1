import { lstatSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Of more letters there would be too many. */
const maxLetters = 6

/** Where the file system does not tell upper from lower case, the ways in which the name of something that is there may be written. */
export function spellings(path: string): string[] {
  const folder = dirname(path)
  const name = basename(path)
  const upper = name.toUpperCase()
  if (upper === name || !isSame(path, join(folder, upper))) return [path]
  return [...new Set([name, ...variantsOf(name), upper])].map((each) => join(folder, each))
}

export function variantsOf(name: string): string[] {
  const letters = [...name]
  if (letters.filter((letter) => letter.toUpperCase() !== letter.toLowerCase()).length > maxLetters) return []
  return letters.reduce<string[]>(
    (starts, letter) => {
      const forms = [...new Set([letter.toLowerCase(), letter.toUpperCase()])]
      return starts.flatMap((start) => forms.map((form) => start + form))
    },
    [''],
  )
}

function isSame(path: string, other: string): boolean {
  const [one, two] = [path, other].map((at) => lstatSync(at, { throwIfNoEntry: false }))
  return one !== undefined && two !== undefined && one.ino === two.ino && one.dev === two.dev
}
