import type { ApprovalRequest, SandboxTier } from '@parley/protocol'
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
export function commandMessage(approval: ApprovalRequest, command: readonly string[], tier: SandboxTier): string {
  const words = shellJoined(command)
  const shown = showHidden(collapseBlanks(words)).replaceAll('\n', '\n    ')
  const { cwd, place, reason } = approval
  const where = place === undefined ? '' : ` on ${onOneLine(place)}`
  return [
    `Allow parley to run \`${shown}\` in \`${onOneLine(cwd)}\`${where}?`,
    ...hiddenWarnings(words).map((warning) => `! ${warning}`),
    limitsLine(approval, tier),
    ...(approval.background === true ? [`It runs ${backgroundWords}.`] : []),
    ...(reason === '' ? [] : [`Asked because: ${onOneLine(reason)}`]),
    ...(approval.attempt === undefined ? [] : [againWords]),
    ...(approval.justification === undefined ? [] : [`${uncheckedWords}“${onOneLine(approval.justification)}”`]),
  ].join('\n')
}

/** All files of a patch, then every line of its question. */
export function patchMessage(approval: ApprovalRequest, tier: SandboxTier): string {
  const { reason, detail, cwd, files = readDiffs(detail) } = approval
  const where = approval.place === undefined ? '' : ` on ${onOneLine(approval.place)}`
  return [
    ...(reason === '' ? [] : [onOneLine(reason)]),
    'Allow parley to apply proposed code changes?',
    ...files.map(fileWords),
    `Paths are relative to \`${onOneLine(cwd)}\`${where}.`,
    limitsLine(approval, tier),
    ...hiddenWarnings(detail).map((warning) => `! ${warning}`),
    '',
    showHidden(detail).trimEnd(),
  ].join('\n')
}

/** The question of a configured server, in its own words. */
export function formMessage({ title, detail }: ApprovalRequest): string {
  return showHidden(`${title}\n${detail}`.trim())
}

function limitsLine(approval: ApprovalRequest, tier: SandboxTier): string {
  const words = limitWords(approval, tier).map(({ text }) => text)
  return `Limits: ${words.join(' · ')}`
}
