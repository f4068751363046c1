import { alwaysWords, choiceWords } from '@parley/presentation/question/answer-words'
import { choicesFor } from '@parley/presentation/question/answers'
import { dangerWords, reasonWords } from '@parley/presentation/question/reasons'
import { collapseBlanks, showHidden, shownLine } from '@parley/presentation/text/control-characters'
import { placedPath, shortPath } from '@parley/presentation/text/formats'
import type { Approval, ApprovalKind, Enforcement, FormField } from '@parley/protocol'
import {
  describeQuestion,
  isForm,
  movedAside,
  planModes,
  planWords,
  reachOfAlways,
  runsNothing,
  uncheckedWords,
} from '@parley/protocol/question'
import { optionsOf } from '../../ui/fill-form.ts'
import type { FilledForm } from '../../ui/state/composing.ts'

interface QuestionScene {
  readonly enforcement: Enforcement
  readonly homeFolder: string
  /** Pending questions, this one included. */
  readonly waiting: number
}

/** Returns the whole question, however long: everything that a yes would allow. Texts of others are indented. */
export function questionLines(
  approval: Approval,
  { enforcement, homeFolder, waiting }: QuestionScene,
): readonly string[] {
  const words = describeQuestion(approval, enforcement)
  const { asks, title, files, detail, background, variables, again, justification, rule } = words
  const hasForm = runsNothing(approval.kind)
  const reason = hasForm ? words.reason : shownLine(collapseBlanks(reasonWords(approval)))
  const place = shownLine(placedPath(approval.cwd, approval.environment, homeFolder))
  const danger = dangerWords(approval)
  return [
    `Question${waiting > 1 ? ` 1 of ${waiting}` : ''}: ${asks}`,
    ...indented([title ?? '', ...files, ...(detail === '' ? [] : detail.split('\n'))]),
    ...(isForm(approval.kind) ? (approval.form?.fields ?? []) : []).map(
      (field) => `Field: ${shownLine(field.title)}${needed(field)}`,
    ),
    ...[...(danger === null ? [] : [shownLine(danger)]), ...words.warnings].map((warning) => `Warning: ${warning}`),
    ...(hasForm ? [] : [[`In ${place}`, ...words.limits.map(({ text }) => text)].join(', ')]),
    ...[background, variables].filter((line) => line !== null),
    ...(reason === ''
      ? []
      : [
          `${approval.rule.name === movedAside ? '' : (reasonMarks[approval.kind] ?? 'Asked because: ')}${reason}${rule === '' ? '' : ` ${rule}`}`,
        ]),
    ...(again === null ? [] : [again]),
    ...(justification === null ? [] : [uncheckedWords + justification]),
  ]
}

/** Words before the reason of a form. */
const reasonMarks: Partial<Readonly<Record<ApprovalKind, string>>> = {
  elicitation: 'It says: ',
  question: '',
  plan: '',
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.filter((line, index) => line !== '' || index > 0).map((line) => `    ${line}`.trimEnd())
}

const typedWords = {
  yes: 'yes',
  yesForConversation: 'session',
  yesToAny: 'any',
  remember: 'remember',
  note: 'no',
  stop: 'stop',
} as const

/** Returns the words that answer the question, with what each does. */
export function answerWords(approval: Approval): string {
  const { labels } = choiceWords(approval, false)
  if (approval.kind === 'plan') return planAnswerWords(approval)
  const choices = choicesFor(approval).map(({ answer }) => {
    if (answer === 'remember') return `remember (${alwaysWords(approval)}; shows the rule first)`
    if (answer === 'note') return isForm(approval.kind) ? `no (${labels.note})` : 'no, or no and what to do instead'
    const meaning = labels[answer].replace(/^yes, (?:and )?/, '')
    return meaning === typedWords[answer] ? typedWords[answer] : `${typedWords[answer]} (${meaning})`
  })
  return `Type one of: ${[...choices, ...(isForm(approval.kind) ? [] : ['why'])].join('; ')}. Any other line is a message.`
}

function planAnswerWords(approval: Approval): string {
  const modes = planModes(approval).map(({ name }) => `${name} (${planWords[name]})`)
  const others = [`no, or no and what to change (${planWords.plan})`, 'stop']
  return `Type one of: ${[...modes, ...others].join('; ')}. Any other line is a message.`
}

/** Returns the rule that a permanent yes would add, and the words that add it. */
export function ruleLines({ always, kind }: Approval, homeFolder: string): readonly string[] {
  if (always === undefined) return []
  return [
    `Rule to add to ${shownLine(shortPath(always.file, homeFolder))}:`,
    ...indented(showHidden(collapseBlanks(always.rule.trim())).split('\n')),
    `It holds ${reachOfAlways(kind)}.`,
    'Type remember again to add it and run this, or back.',
  ]
}

/** Returns the field of a form that the next line fills in. */
export function fieldLines(field: FormField, { problem }: Pick<FilledForm, 'problem'>): readonly string[] {
  const about = field.description === undefined ? '' : `. ${shownLine(field.description)}`
  const options = optionsOf(field) ?? []
  const usual =
    field.default === undefined ? '' : `. An empty line takes ${shownLine([field.default].flat().join(', '))}`
  return [
    ...(problem === null ? [] : [`Not taken: ${shownLine(problem)}`]),
    `Field: ${shownLine(field.title)}${needed(field)}${about}${usual}`,
    ...options.map(({ title }, index) => `  ${index + 1}: ${shownLine(title)}`),
    `Type ${howToAnswer(field, options.length)}, or /back.`,
  ]
}

function howToAnswer({ type }: FormField, count: number): string {
  if (type === 'choices') return 'numbers or words with commas between them, or none'
  return count === 0 ? 'the answer' : 'a number or its words'
}

function needed({ required }: FormField): string {
  return required ? ' (needed)' : ''
}
