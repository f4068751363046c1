import { type Mode, modes } from '@parley/protocol'
import { chosenMode, planForm, planWords } from '@parley/protocol/question'
import { utf8Length } from '@parley/text'
import * as z from 'zod'
import { defineTool } from '../contract/define-tool.ts'
import type { Tool } from '../contract/tool.ts'
import { textOf } from './question-form.ts'

const name = 'propose_plan'

/** Limits of a plan, which is shown whole and stays in the state while it waits. Lengths in bytes. */
const most = { title: 200, item: 2000, steps: 40, risks: 20, all: 32 * 1024 } as const

const input = z
  .object({
    title: textOf(most.title),
    steps: z
      .array(textOf(most.item))
      .min(1)
      .max(most.steps)
      .describe('In order; each with the files that it touches and how it is checked.'),
    risks: z.array(textOf(most.item)).max(most.risks).optional().describe('And what you could not find out.'),
  })
  .refine((plan) => utf8Length(JSON.stringify(plan)) <= most.all, { error: `at most ${most.all} bytes in all` })

/** Modes for the work after a plan. */
const workModes: readonly Mode[] = modes.filter((mode) => mode.name !== 'plan')

export const proposePlanTool: Tool = defineTool({
  name,
  description:
    'Hands the whole plan to the user, who chooses: to work by it, which ends plan mode, or to keep planning, perhaps with a note. Returns the choice as JSON.',
  readOnly: true,
  offeredTo: ({ isPlanning, isReviewing }) => isPlanning && !isReviewing,
  input,
  prepare: ({ title, steps, risks = [] }) => {
    const written = JSON.stringify({ title, steps, risks })
    const text = planText(steps, risks)
    return {
      describe: () => ({
        type: 'toolCall',
        kind: 'think',
        title: `Plan: ${title}`,
        text,
        input: written,
      }),
      facts: () => Promise.resolve({ kind: 'proposal', tool: name, steps: steps.length }),
      plan: () =>
        Promise.resolve({
          payload: written,
          modes: workModes,
          run: ({ user: { answers, note } }) => {
            const mode = chosenMode({ kind: 'plan', form: planForm(workModes) }, answers ?? {})
            if (mode === null) return Promise.resolve({ status: 'completed', modelText: notAskedText })
            const fields = { text: `${text}\n\n→ ${planWords[mode.name]}` }
            return Promise.resolve({ status: 'completed', modelText: acceptedText(mode, note), fields })
          },
        }),
    }
  },
})

function planText(steps: readonly string[], risks: readonly string[]): string {
  const listed = steps.map((step, at) => `${at + 1}. ${hanging(step)}`)
  return [...listed, ...(risks.length === 0 ? [] : ['', 'Risks:', ...risks.map((risk) => `- ${hanging(risk)}`)])].join(
    '\n',
  )
}

/** Indents the further lines of an entry of a list, so that they stay in it. */
function hanging(text: string): string {
  return text.replaceAll('\n', '\n   ')
}

function acceptedText({ name: mode, about }: Mode, note: string | null): string {
  const now = `Plan mode is over; the mode is ${mode}: ${about} Begin the work by the plan.`
  return JSON.stringify({ outcome: 'accepted', mode, now, ...(note === null ? {} : { note }) })
}

/** Text for the model when nobody was asked. */
const notAskedText = JSON.stringify({
  outcome: 'notAsked',
  why: 'Under the approval policy never nobody is asked. Give the plan as your final message.',
})
