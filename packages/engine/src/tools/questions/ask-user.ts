import * as z from 'zod'
import { keepText } from '../contract/command-output.ts'
import { defineTool } from '../contract/define-tool.ts'
import type { Tool } from '../contract/tool.ts'
import {
  answeredText,
  formOf,
  type ModelQuestion,
  notAskedText,
  questionsText,
  shownAnswers,
  textOf,
} from './question-form.ts'

const name = 'ask_user'

/** Limits of one call, so that a form fits on a screen and the open approval stays small. Lengths in bytes. */
const most = { questions: 6, options: 10, header: 60, option: 200, text: 2000 } as const

const question = z.object({
  header: textOf(most.header).describe(`Name of the question in a few words, at most ${most.header} bytes.`),
  text: textOf(most.text).describe(`The question, at most ${most.text} bytes.`),
  options: z
    .array(textOf(most.option))
    .max(most.options)
    .refine((options) => new Set(options).size === options.length, { error: 'options must differ' })
    .optional()
    .describe('Answers to choose from; leave them out to ask for a text.'),
  multiple: z.boolean().optional().describe('True when several options may be chosen.'),
  other: z.boolean().optional().describe('True when the user may write an answer that is not among the options.'),
})

const input = z.object({ questions: z.array(question).min(1).max(most.questions) })

export const askUserTool: Tool = defineTool({
  name,
  description:
    'Asks the user, all questions in one form, and returns the answers as JSON. Use it for decisions that are the user’s and that you cannot find out. The outcome says when they were not answered: then decide by yourself and say what you assumed.',
  readOnly: true,
  input,
  prepare: ({ questions }) => {
    const asked = questions.map(
      (each): ModelQuestion => ({
        ...each,
        options: each.options ?? [],
        multiple: each.multiple ?? false,
        other: each.other ?? false,
      }),
    )
    const written = JSON.stringify({ questions })
    const text = questionsText(asked)
    return {
      describe: () => ({
        type: 'toolCall',
        kind: 'think',
        title: `Ask: ${asked.map(({ header }) => header).join(', ')}`,
        text,
        input: written,
      }),
      facts: () => Promise.resolve({ kind: 'question', tool: name, count: asked.length }),
      plan: () =>
        Promise.resolve({
          payload: written,
          form: formOf(asked),
          async run({ user: { answers }, files }) {
            if (answers === null) return { status: 'completed', modelText: notAskedText }
            const output = await keepText(shownAnswers(asked, answers), files.sideFiles)
            return { status: 'completed', modelText: answeredText(asked, answers), fields: { output } }
          },
        }),
    }
  },
})
