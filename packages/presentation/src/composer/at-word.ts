/** Path that is being written after `@`. */
export interface AtWord {
  /** Offset of the `@`. */
  readonly start: number
  /** Offset after the last character of the word. */
  readonly end: number
  /** Path up to the caret, without `@` and quotes. */
  readonly query: string
}

export interface CaretText {
  readonly text: string
  readonly caret: number
}

/** Returns the path around the caret; null if the caret is not in one, or behind the numbers of lines. */
export function atWordAt({ text, caret }: CaretText): AtWord | null {
  if (text.startsWith('!') || text.startsWith('/')) return null
  const found = /(?:^|[\s([{,])@("[^"\n]*|[^\s"]*)$/.exec(text.slice(0, caret))
  if (found === null) return null
  const [, typed = ''] = found
  const isQuoted = typed.startsWith('"')
  const query = isQuoted ? typed.slice(1) : typed
  if (/:[\d-]*$/.test(query)) return null
  const rest = (isQuoted ? /^[^"\n]*"?/ : /^[^\s"]*/).exec(text.slice(caret))?.[0] ?? ''
  return { start: caret - typed.length - 1, end: caret + rest.length, query }
}

/** Returns a path as it is written in a message: quoted where it has blanks; a folder stays open to go on. */
export function writtenPath(path: string): string {
  const isFolder = path.endsWith('/')
  if (/^[^\s"]+$/.test(path)) return isFolder ? `@${path}` : `@${path} `
  return isFolder ? `@"${path}` : `@"${path}" `
}

/** Returns true for the name of an image that models take. */
export function isImageName(path: string): boolean {
  return /\.(?:png|jpe?g|gif|webp)$/i.test(path)
}

/** Returns the paths of images that a message names by `@`, each once. */
export function namedImages(text: string): readonly string[] {
  const words = text.matchAll(/(?<=^|[\s([{,])@(?:"([^"\n]+)"|([^\s"]+))/g)
  const paths = [...words].map(([, quoted, plain]) => quoted ?? plain?.replace(/[)\]},.;:!?]+$/, '') ?? '')
  return [...new Set(paths.filter(isImageName))]
}
