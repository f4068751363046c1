import * as z from 'zod'
import { defineTool } from './contract/define-tool.ts'
import type { Tool } from './contract/tool.ts'

const status = z.enum(['pending', 'in_progress', 'completed'])
const input = z.object({
  explanation: z.string().optional(),
  plan: z
    .array(z.object({ step: z.string().min(1), status }))
    .min(1)
    .describe('All steps, in order; at most one in_progress.'),
})

export const updatePlanTool: Tool = defineTool({
  name: 'update_plan',
  description: 'Shows the user the plan for work of several steps. Send the whole plan each time.',
  readOnly: true,
  input,
  prepare: ({ explanation, plan }) => {
    const steps = plan.map(({ step, status: now }) => ({
      step,
      status: now === 'in_progress' ? ('inProgress' as const) : now,
    }))
    const text = steps.map(({ step, status: now }) => `${marks[now]} ${step}`).join('\n')
    return {
      describe: () => ({
        type: 'toolCall',
        kind: 'think',
        title: 'Update the plan',
        text,
        input: JSON.stringify({ explanation, plan }),
      }),
      facts: () => Promise.resolve({ kind: 'other', tool: 'update_plan', readOnly: true }),
      plan: async () => ({
        payload: JSON.stringify(plan),
        async run({ updatePlan }) {
          await updatePlan({ ...(explanation === undefined ? {} : { explanation }), steps })
          return { status: 'completed', modelText: 'The plan is shown.' }
        },
      }),
    }
  },
})

const marks = { pending: '[ ]', inProgress: '[>]', completed: '[x]' } as const
