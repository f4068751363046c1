import type { Notice, NoticeLevel } from '@parley/presentation/notices/notice'
import { showEffects, showHidden, shownName, strippedLine } from '@parley/presentation/text/control-characters'
import type { Plan } from '@parley/protocol'
import { fileWords } from '@parley/protocol/question'
import { questionLines } from './question-lines.ts'

const marks: Readonly<Record<NoticeLevel, string>> = { info: '', warning: 'Warning: ', error: 'Error: ' }

/** Names of keys in sentences for the screen, and the words to type in their place here. */
const typed: readonly (readonly [string, string])[] = [
  [' (Ctrl+T)', ' (/transcript)'],
  [' (Ctrl+O)', ''],
]

/** Returns a sentence of the program, and below it the lines that belong to it. */
export function noticeLines(level: NoticeLevel, text: string): readonly string[] {
  const words = typed.reduce((sentence, [key, command]) => sentence.replaceAll(key, command), showEffects(text).trim())
  const [first = '', ...others] = words.split('\n')
  return [marks[level] + first, ...others.map((line) => `  ${line}`.trimEnd())]
}

/** Returns a notice of the program itself, which is not part of the conversation. */
export function localNoticeLines(notice: Notice): readonly string[] {
  switch (notice.kind) {
    case 'note':
      return noticeLines(notice.level, notice.text)
    case 'table':
      return [`${shownName(notice.title)}:`, ...notice.rows.map(([key, text]) => rowLine(key, text))]
    case 'greeting':
      return [[notice.program, ...notice.facts.map(shownName)].join(', ')]
    case 'plan':
      return [planLine(notice.plan)]
    case 'changes':
      return changesLines(notice)
    case 'approvalDetail':
      return questionLines(notice.approval, { enforcement: notice.enforcement, homeFolder: '', waiting: 1 })
  }
}

function rowLine(key: string, text: string): string {
  return key === '' ? `    ${shownName(text)}` : `  ${shownName(key)}: ${shownName(text)}`
}

const stepWords = { completed: 'done', inProgress: 'now', pending: 'to do' } as const

export function planLine({ steps }: Plan): string {
  return `Plan: ${steps.map(({ step, status }) => `${stepWords[status]}: ${strippedLine(step)}`).join('; ')}`
}

function changesLines({ title, files, isCut }: Notice & { kind: 'changes' }): readonly string[] {
  const lines = files.flatMap((file) => [
    fileWords(file),
    ...showHidden(file.diff)
      .trimEnd()
      .split('\n')
      .map((line) => `    ${line}`.trimEnd()),
  ])
  return [shownName(title), ...lines, ...(isCut ? ['There is more, which `git diff` shows.'] : [])]
}
