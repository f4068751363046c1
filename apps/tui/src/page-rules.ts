/** Rules of the terminal's screen that the page for browsers shows by, too: what is said in which words. */

export { type PointReads, pointBefore } from './conversation/fork-point.ts'
export { shareConversation } from './conversation/people/share-conversation.ts'
export { highlightCode } from './highlight/highlight-code.ts'
export {
  type AnswerGuard,
  choicesFor,
  decisionFor,
  isReadable,
  isWhollySeen,
  isYes,
  modeToWorkIn,
  notePainted,
  pendingApprovals,
  unguarded,
} from './ui/answers.ts'
export { forwardList, forwardQuestion, forwardUsage, readForward } from './ui/choices/forward.ts'
export { draftRequest, memoryChoices } from './ui/choices/remember.ts'
export { atWordAt } from './ui/complete/at-word.ts'
export { type NamedPart, namesPart, partsAt } from './ui/complete/part-word.ts'
export { completed, fileCompletion } from './ui/completions.ts'
export { emptyComposer } from './ui/composer/composer.ts'
export { needsTerminal } from './ui/composer/needs-terminal.ts'
export { inputText, isInboxPaused, isWhole } from './ui/inbox.ts'
export type { MemoryPlace } from './ui/menu/menu.ts'
export {
  leftLines,
  nothingToGoBackTo,
  nothingToTakeBack,
  notTakenBack,
  type RewindKey,
  rewindChoices,
  rewindTitle,
  takenBackWords,
  undoPoint,
} from './ui/menu/rewind-choices.ts'
export {
  approvalChoices,
  effortChoices,
  modeChoices,
  type SettingChoice,
  sandboxChoices,
} from './ui/menu/setting-rows.ts'
export { hooksTable } from './ui/notices/hooks-table.ts'
export { mcpTable, type Notice, whyTable } from './ui/notices/notice.ts'
export { contextTable, statusTable } from './ui/notices/status-tables.ts'
export { actorName, answeredWords } from './ui/outside-changes.ts'
export { accessTable, readShare } from './ui/people/share-words.ts'
export { newLine, type ProcessInputKind, type SentText } from './ui/processes/type-in-process.ts'
export {
  argumentsFor,
  completionsFor,
  modelSettings,
  type ParsedCommand,
  parseSlash,
  type SlashName,
  shellLineOf,
  slashCommands,
} from './ui/slash-commands.ts'
export { refusedNow } from './ui/update/refused.ts'
export { dangerWords, reasonWords } from './view/approval/approval-context.ts'
export { wordsFor } from './view/approval/choice-rows.ts'
export { type Entry, entriesOf } from './view/documents/entries.ts'
export { type Exported, missingWords } from './view/documents/exported.ts'
export { networkWords, repairWords } from './view/live/activity.ts'
export { limitsWords } from './view/live/status-line.ts'
export { elapsed, hookWords } from './view/live/working-line.ts'
export { inlineLines, known, lex } from './view/markdown/inline.ts'
export { type FoundText, findInItem } from './view/pager/item-text.ts'
export { severityTones, suggestionLines } from './view/review/finding-rows.ts'
export { placeOf } from './view/review/findings-text.ts'
export { readFix } from './view/review/fix-request.ts'
export { readReviewWords } from './view/review/review-span.ts'
export { showEffects, stripEffects, visibleLine } from './view/text/control-characters.ts'
export { type DiffLine, parseDiff } from './view/text/diff.ts'
export { count, countOf, formatAgo, formatBytes, nameOf, placedPath } from './view/text/formats.ts'
export type { Line, Span } from './view/text/span.ts'
export { costText, tokenWords } from './view/text/token-words.ts'
export { blockedWords, commandVerbs, toolVerbs } from './view/transcript/call-block.ts'
export { answerNote, callFacts, callTone, commandOf, talkText, verbOf } from './view/transcript/call-facts.ts'
export { pathText, verbFor } from './view/transcript/change-block.ts'
export { reasoningHeading } from './view/transcript/item-block.ts'
export { noticeWords } from './view/transcript/notice-block.ts'
export { endingText, followTurn, silentSeconds, type TurnClock } from './view/transcript/turn-clock.ts'
