/** The folder of a command, as a shell writes it. */
const ownFolder =
  /["']?(?:\$\{?(?:PWD|PARLEY_PROJECT_DIR)\}?|\$\(\s*(?:pwd|git rev-parse --show-toplevel)\s*\)|`pwd`)["']?/g

/**
 * Lists the words of a text that may be paths: the pieces as shells, options and lists cut them, with quotes as cuts
 * and without. A word that names no file is bound as a missing one.
 */
export function wordsIn(text: string): readonly string[] {
  const plain = text.replace(ownFolder, '.')
  const pieces = [plain, plain.replace(/["'\\]/g, '')].flatMap((one) => one.split(/[\s=:,;|&<>(){}"'`$]+/))
  const words = pieces.flatMap((word) => (word.startsWith('-') ? attachedValue(word) : [word]))
  return [...new Set(words)].filter((word) => word !== '' && !word.startsWith('-'))
}

/** Returns the value that is written directly behind an option of one letter, such as `-r./file`. */
function attachedValue(option: string): readonly string[] {
  return /^-[A-Za-z][./]/.test(option) ? [option.slice(2)] : []
}

/** Lists the folders that a line for a shell enters. */
export function enteredIn(line: string): readonly string[] {
  const found = line
    .replace(ownFolder, '.')
    .matchAll(/(?:^|[\s;&|(])(?:cd|pushd)\s+(?:-\S+\s+)*["']?([^\s"';&|()<>]+)/g)
  return [...found].flatMap(([, path = '']) => path)
}

/** Lists the modules that arguments make python run, also of a line for a shell among them. */
export function modulesIn(args: readonly string[]): readonly string[] {
  const words = args.flatMap((text) => text.split(/[\s'"]+/))
  return words.flatMap((word, index) => moduleOf(word, words[index - 1]))
}

/** Returns the module that a word makes python run: `-m NAME`, `-mNAME` or with letters before the `m`. */
function moduleOf(word: string, before = ''): readonly string[] {
  const name = /^-[A-Za-z]*m$/.test(before) ? word : /^-[a-zA-Z]*?m(.+)$/.exec(word)?.[1]
  return name !== undefined && /^[\p{L}\p{N}_.]+$/u.test(name) ? [name] : []
}

/** Returns the files that run with a module: its own file, and the files of every package on the way to it. */
export function pathsOfModule(name: string): readonly string[] {
  const parts = name.split('.')
  return parts.flatMap((_, index) => {
    const path = parts.slice(0, index + 1).join('/')
    return [path, `${path}.py`]
  })
}
