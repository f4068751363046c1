export { collapseBlanks, onOneLine } from './collapse-blanks.ts'
export { fileWords, type ListedFile } from './file-words.ts'
export { hiddenParts, hiddenWarnings, type ShownPart, showHidden } from './hidden-characters.ts'
export { againWords, backgroundWords, type LimitWords, limitWords, uncheckedWords } from './limit-words.ts'
