import * as z from 'zod'

const text = z.string().optional()

/** Object that a hook may write to stdout. Unknown fields are ignored; a field of another type makes it rubbish. */
export const hookAnswer = z.looseObject({
  continue: z.boolean().optional().describe('`false` ends the turn.'),
  stopReason: text.describe('With `continue: false`: the reason, for the user.'),
  systemMessage: text.describe('Shown to the user.'),
  decision: z
    .enum(['block', 'approve'])
    .optional()
    .describe('`block` is the same as exit code 2. `approve` allows nothing: it is ignored.'),
  reason: text.describe('With `decision`.'),
  hookSpecificOutput: z
    .looseObject({
      permissionDecision: z
        .enum(['allow', 'ask', 'deny'])
        .optional()
        .describe('PreToolUse and PermissionRequest. `allow` allows nothing: it is ignored.'),
      permissionDecisionReason: text,
      updatedInput: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('PreToolUse: the arguments in place of those of the model, whole. The user is asked about the call.'),
      additionalContext: text.describe('Text for the model.'),
    })
    .optional(),
})

export type HookAnswer = z.infer<typeof hookAnswer>
