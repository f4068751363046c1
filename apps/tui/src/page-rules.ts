/** Rules of the terminal's screen that the page for browsers shows by, too: what is said in which words. */
export { highlightCode } from './highlight/highlight-code.ts'
export {
  type AnswerGuard,
  choicesFor,
  isReadable,
  isWhollySeen,
  isYes,
  notePainted,
  pendingApprovals,
  unguarded,
} from './ui/answers.ts'
export { inputText, isInboxPaused } from './ui/inbox.ts'
export { dangerWords } from './view/approval/approval-context.ts'
export { wordsFor } from './view/approval/choice-rows.ts'
export { limitsWords } from './view/live/status-line.ts'
export { elapsed } from './view/live/working-line.ts'
export { inlineLines, known, lex } from './view/markdown/inline.ts'
export { showEffects, stripEffects, visibleLine } from './view/text/control-characters.ts'
export { type DiffLine, parseDiff } from './view/text/diff.ts'
export { count, formatAgo, formatBytes } from './view/text/formats.ts'
export type { Line, Span } from './view/text/span.ts'
export { costText, tokenWords } from './view/text/token-words.ts'
export { blockedWords, commandVerbs, toolVerbs } from './view/transcript/call-block.ts'
export { answerNote, callFacts, callTone, commandOf, verbOf } from './view/transcript/call-facts.ts'
export { pathText, verbFor } from './view/transcript/change-block.ts'
export { lookedAt } from './view/transcript/look-ups.ts'
