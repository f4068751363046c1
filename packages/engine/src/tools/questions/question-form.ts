import type { Answers, Form, FormField } from '@parley/protocol'
import { utf8Length } from '@parley/text'
import * as z from 'zod'

/** Question of the model to the user. Without options it is answered by a text. */
export interface ModelQuestion {
  readonly header: string
  readonly text: string
  readonly options: readonly string[]
  /** True when several options may be chosen. */
  readonly multiple: boolean
  /** True when a text may take the place of the options. */
  readonly other: boolean
}

/** Returns the form of all questions: a choice, several choices, or a text. */
export function formOf(questions: readonly ModelQuestion[]): Form {
  return { fields: questions.flatMap(fieldsOf) }
}

function fieldsOf(question: ModelQuestion, at: number): FormField[] {
  const { header, text, options, multiple, other } = question
  const name = nameOf(at)
  if (options.length === 0) return [{ name, title: header, description: text, type: 'string', required: true }]
  const own: FormField[] = other
    ? [{ name: otherName(at), title: `${header}: another answer`, type: 'string', required: false }]
    : []
  const choices = options.map((option) => ({ value: option, title: option }))
  const asked = { name, title: header, description: text, choices }
  return [
    multiple ? { ...asked, type: 'choices', required: false } : { ...asked, type: 'choice', required: !other },
    ...own,
  ]
}

function nameOf(at: number): string {
  return `q${at + 1}`
}

function otherName(at: number): string {
  return `${nameOf(at)}_other`
}

/** Returns the name of the field of one option, as forms of earlier versions had it. */
function boxName(at: number, option: number): string {
  return `${nameOf(at)}_${option + 1}`
}

/** Returns the questions as people read them. */
export function questionsText(questions: readonly ModelQuestion[]): string {
  return questions
    .map(({ header, text, options, multiple, other }, at) =>
      [
        `${at + 1}. ${header}: ${text}`,
        ...options.map((option) => `   - ${option}`),
        ...(multiple && options.length > 0 ? ['   Several may be chosen.'] : []),
        ...(other && options.length > 0 ? ['   Another answer may be written.'] : []),
      ].join('\n'),
    )
    .join('\n')
}

/** Answer to one question: an option or a text, a list of chosen options where several may be chosen, or null. */
interface QuestionAnswer {
  readonly header: string
  readonly answer: string | readonly string[] | null
  /** Text of the user beside or in place of the options. */
  readonly other?: string
}

function givenOf({ header, options, multiple }: ModelQuestion, at: number, answers: Answers): QuestionAnswer {
  const own = Object.hasOwn(answers, otherName(at)) ? answers[otherName(at)] : undefined
  const other = own === undefined ? {} : { other: String(own) }
  const name = nameOf(at)
  if (multiple && options.length > 0) {
    const chosen = Object.hasOwn(answers, name) ? answers[name] : undefined
    const isChosen = (option: string, index: number) =>
      Array.isArray(chosen) ? chosen.includes(option) : answers[boxName(at, index)] === true
    return { header, answer: options.filter(isChosen), ...other }
  }
  return { header, answer: Object.hasOwn(answers, name) ? String(answers[name]) : null, ...other }
}

/** Returns the answers as JSON, for the model. */
export function answeredText(questions: readonly ModelQuestion[], answers: Answers): string {
  return JSON.stringify({ outcome: 'answered', answers: questions.map((each, at) => givenOf(each, at, answers)) })
}

/** Returns the answers as people read them. */
export function shownAnswers(questions: readonly ModelQuestion[], answers: Answers): string {
  return questions
    .map((each, at) => givenOf(each, at, answers))
    .map(({ header, answer, other }) => {
      const chosen = typeof answer === 'string' ? [answer] : (answer ?? [])
      const said = [...chosen, ...(other === undefined ? [] : [other])]
      return `${header} → ${said.length === 0 ? '(no answer)' : said.join(', ')}`
    })
    .join('\n')
}

/** Text for the model when nobody was asked. */
export const notAskedText = JSON.stringify({
  outcome: 'notAsked',
  why: 'Under the approval policy never nobody is asked. Decide by yourself and say what you assumed.',
})

/** Returns the schema of a text that is not empty and fits. */
export function textOf(maxBytes: number) {
  return z
    .string()
    .trim()
    .min(1)
    .refine((text) => utf8Length(text) <= maxBytes, { error: `at most ${maxBytes} bytes` })
    .describe(`At most ${maxBytes} bytes.`)
}
