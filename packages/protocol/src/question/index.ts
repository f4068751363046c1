export {
  againWords,
  backgroundWords,
  fileWords,
  type LimitWords,
  type ListedFile,
  limitWords,
  uncheckedWords,
} from './approval-words.ts'
export {
  collapseBlanks,
  hiddenParts,
  hiddenWarnings,
  onOneLine,
  type ShownPart,
  showHidden,
} from './hidden-characters.ts'
