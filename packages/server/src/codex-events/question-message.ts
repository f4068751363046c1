import type { ApprovalRequest, Enforcement } from '@parley/protocol'
import {
  againWords,
  backgroundWords,
  collapseBlanks,
  fileWords,
  hiddenWarnings,
  limitWords,
  onOneLine,
  showHidden,
  uncheckedWords,
} from '@parley/protocol/question'
import { readDiffs } from './read-diffs.ts'
import { shellJoined } from './shell-words.ts'

/**
 * The whole question as text, for clients that show nothing else. Only lines of ours begin at the margin: those of a
 * command are indented, those of a diff have their marks. What cannot be seen is shown by its number.
 */
export function commandMessage(
  approval: ApprovalRequest,
  command: readonly string[],
  enforcement: Enforcement,
): string {
  const words = shellJoined(command)
  const shown = showHidden(collapseBlanks(words)).replaceAll('\n', '\n    ')
  const { cwd, environment, reason } = approval
  const where = environment === undefined ? '' : ` on ${onOneLine(environment)}`
  return [
    `Allow parley to run \`${shown}\` in \`${onOneLine(cwd)}\`${where}?`,
    ...hiddenWarnings(words).map((warning) => `! ${warning}`),
    limitsLine(approval, enforcement),
    ...(approval.background === true ? [`It runs ${backgroundWords}.`] : []),
    ...(reason === '' ? [] : [`Asked because: ${onOneLine(reason)}`]),
    ...(approval.attempt === undefined ? [] : [againWords]),
    ...(approval.justification === undefined ? [] : [`${uncheckedWords}“${onOneLine(approval.justification)}”`]),
  ].join('\n')
}

/** All files of a patch, then every line of its question. */
export function patchMessage(approval: ApprovalRequest, enforcement: Enforcement): string {
  const { reason, detail, cwd, files = readDiffs(detail) } = approval
  const where = approval.environment === undefined ? '' : ` on ${onOneLine(approval.environment)}`
  return [
    ...(reason === '' ? [] : [onOneLine(reason)]),
    'Allow parley to apply proposed code changes?',
    ...files.map(fileWords),
    `Paths are relative to \`${onOneLine(cwd)}\`${where}.`,
    limitsLine(approval, enforcement),
    ...hiddenWarnings(detail).map((warning) => `! ${warning}`),
    '',
    showHidden(detail).trimEnd(),
  ].join('\n')
}

/** The question of a configured server, in its own words. */
export function formMessage({ title, detail }: ApprovalRequest): string {
  return showHidden(`${title}\n${detail}`.trim())
}

function limitsLine(approval: ApprovalRequest, enforcement: Enforcement): string {
  const words = limitWords(approval, enforcement).map(({ text }) => text)
  return `Limits: ${words.join(' · ')}`
}
