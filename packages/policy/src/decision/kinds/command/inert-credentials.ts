import { isInertWord } from '../kind.ts'

/** Name of an option, a variable or a header for a credential. */
const credentialName =
  '[\\w.-]*(?:token|secret|passw|passphrase|passcode|pwd|api[_-]?key|access[_-]?key|private[_-]?key|auth|credential|cookie|_key|-key)[\\w.-]*'
/** Text before a word that makes it the value of a credential. */
const namesCredential = new RegExp(
  `(?:^|[^\\w.-])${credentialName}["']?(?:\\s*[=:]\\s*|\\s+)(?:bearer |basic |token )?["']?$`,
  'i',
)
/** User of a URL or of an option such as `-u name:`, or an option of one letter that usually takes a credential. */
const beforePassword = /(?:\/\/[^\s/@]*:|\s(?:-u|--user)[= ]["']?[^\s:]+:|\s-[pkt][= ]?["']?)$/
/** Beginning of a command that only prints its words. */
const writesDown = /(?:^|[;&\n(]|&&|\|\|)\s*(?:echo|printf)\s[^;&|\n`$()]*$/
/** Programs that run the files, words or lines they are given. */
const runner =
  /(?:^|[\s;&|("'/`])(?:\.|source|eval|exec|env|xargs|find|parallel|chmod|sudo|su|ssh|(?:ba|z|k|da|a|fi|c|tc)?sh|python[\d.]*|node|deno|bun|bunx|npx|tsx|perl|ruby|php|lua[\d.]*|java|make|just|rake|awk|sed|Rscript)(?=$|[\s;&|)"'`])/
/** Assignment of a variable, directly before its value. */
const assignment = /(?:^|[\s;&|(])(?:export\s+)?([A-Za-z_]\w*)=["']?$/

/**
 * Returns true for a word that is plainly a credential wherever it stands: the value of an option, variable or header
 * with such a name, or a text that is only printed.
 */
export function isInertCredential(word: string, text: string): boolean {
  if (!isInertWord(word)) return false
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isCredentialAt(text.slice(0, at), text)) return false
  return true
}

function isCredentialAt(before: string, text: string): boolean {
  const [, name] = assignment.exec(before) ?? []
  if (name !== undefined && !isExpandedAsCredential(name, text)) return false
  if (namesCredential.test(before)) return true
  return (beforePassword.test(before) || writesDown.test(before)) && !runner.test(text)
}

/** Returns true when the variable is expanded in no place where it could name what runs. */
function isExpandedAsCredential(name: string, text: string): boolean {
  return [...text.matchAll(new RegExp(`\\$\\{?!?${name}(?!\\w)`, 'g'))].every(({ index }) => {
    const before = text.slice(0, index)
    return !assignment.test(before) && (namesCredential.test(before) || beforePassword.test(before))
  })
}
