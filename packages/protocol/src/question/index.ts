export { againWords, backgroundWords, fileWords, type ListedFile, uncheckedWords } from './approval-words.ts'
export { describeQuestion, type QuestionWords, questionText } from './describe-question.ts'
export {
  collapseBlanks,
  hiddenParts,
  hiddenWarnings,
  onOneLine,
  type ShownPart,
  showHidden,
} from './hidden-characters.ts'
