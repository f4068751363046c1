import { compiledLanguages } from './compiled-languages.ts'
import { documentLanguages } from './document-languages.ts'
import type { Language } from './language.ts'
import { scriptLanguages } from './script-languages.ts'

/** Languages by name; a grammar costs time only once code in it is shown. */
export const languages: Readonly<Record<string, Language>> = {
  ...compiledLanguages,
  ...scriptLanguages,
  ...documentLanguages,
}
