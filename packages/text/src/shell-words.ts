/** Returns words as one shell line that a shell splits into the same words. */
export function joinShellWords(words: readonly string[]): string {
  return words.map(quoted).join(' ')
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** Splits words as a shell does: quotes and backslashes keep blanks. */
export function splitShellWords(text: string): readonly string[] {
  const words = text.match(/(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+/gs) ?? []
  return words.map((word) =>
    word.replace(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs, (_, single, double, escaped) => {
      return single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped
    }),
  )
}

/** Programs that the terminal starts by name, unsandboxed, when its user asks for a diff, package, copy or page. */
export const programsByName = [
  'git',
  'npm',
  'wl-copy',
  'xclip',
  'xsel',
  'clip.exe',
  'pbcopy',
  'xdg-open',
  'open',
] as const

export type ProgramByName = (typeof programsByName)[number]
