import * as z from 'zod'

const common = {
  session_id: z.string().describe('Id of the conversation.'),
  cwd: z.string().describe('Working folder of the conversation.'),
  model: z.string(),
  permission_mode: z.enum(['ask', 'edit', 'plan', 'custom']).describe('Mode of the conversation.'),
  turn_id: z.string().exactOptional().describe('The turn, where one is open.'),
}

const tool = {
  tool_name: z.string().describe('Name of the tool, such as `shell`.'),
  tool_use_id: z.string().describe('Id of the call; `parley why` explains it.'),
  tool_input: z
    .unknown()
    .describe('Arguments of the call as the model wrote them, or as the hook before changed them.'),
  title: z.string().describe('The call in one line.'),
  command: z.string().exactOptional().describe('Command line of a command.'),
  paths: z.array(z.string()).exactOptional().describe('Absolute paths of the files that the call names.'),
}

const input = <On extends string, Shape extends z.core.$ZodLooseShape>(on: On, shape: Shape, about: string) =>
  z.object({ hook_event_name: z.literal(on), ...common, ...shape }).describe(about)

/** Object that a hook reads on stdin, by its event. */
export const hookInput = z.discriminatedUnion('hook_event_name', [
  input(
    'SessionStart',
    { source: z.enum(['startup', 'resume']).describe('`resume`: the conversation was begun by an earlier process.') },
    'A process begins to work on a conversation, with its first turn there.',
  ),
  input('SessionEnd', {}, 'A process leaves a conversation that it worked on.'),
  input('UserPromptSubmit', { prompt: z.string() }, 'A message of a user, before it is stored and sent.'),
  input('PreToolUse', tool, 'A call of the model, before policy judges it.'),
  input(
    'PostToolUse',
    {
      ...tool,
      status: z.enum(['completed', 'failed', 'interrupted', 'unknown']),
      tool_response: z.string().describe('Result as the model gets it.'),
      exit_code: z.int().exactOptional().describe('Exit code of a command.'),
    },
    'A call that has run.',
  ),
  input(
    'PermissionRequest',
    { ...tool, kind: z.string().describe('Kind of the approval.'), reason: z.string().describe('Why it is asked.') },
    'The user is asked about a call.',
  ),
  input(
    'PermissionDecision',
    {
      ...tool,
      decision: z.string().describe('`approved`, `denied` and so on.'),
      by: z.string().describe('Who decided.'),
    },
    'The question about a call was answered or withdrawn.',
  ),
  input(
    'PreCompact',
    {
      trigger: z.enum(['auto', 'manual']),
      custom_instructions: z.string().describe('Words of the user; may be empty.'),
    },
    "The model's view is about to be compacted.",
  ),
  input(
    'Stop',
    {
      stop_hook_active: z.boolean().describe('A hook has already made this turn go on.'),
      last_assistant_message: z.string(),
    },
    'The model has answered, and the turn would end.',
  ),
  input(
    'Notification',
    {
      notification_type: z.enum(['permission_prompt', 'question', 'turn_end', 'parked']),
      title: z.string(),
      message: z.string(),
    },
    'Somebody should look: a question waits, or a turn ended.',
  ),
])

export type HookInput = z.infer<typeof hookInput>
export type HookInputOf<On extends HookInput['hook_event_name']> = Extract<HookInput, { hook_event_name: On }>

const optionalText = z.string().optional()

/** Object that a hook may write to stdout. Unknown fields are ignored; a field of another type makes it invalid. */
export const hookAnswer = z.looseObject({
  continue: z.boolean().optional().describe('`false` ends the turn.'),
  stopReason: optionalText.describe('With `continue: false`: the reason, for the user.'),
  systemMessage: optionalText.describe('Shown to the user.'),
  decision: z
    .enum(['block', 'approve'])
    .optional()
    .describe('`block` is the same as exit code 2. `approve` is ignored: a hook allows no call.'),
  reason: optionalText.describe('With `decision`.'),
  hookSpecificOutput: z
    .looseObject({
      permissionDecision: z
        .enum(['allow', 'ask', 'deny'])
        .optional()
        .describe('PreToolUse and PermissionRequest. `allow` is ignored: a hook allows no call.'),
      permissionDecisionReason: optionalText,
      updatedInput: z
        .record(z.string(), z.unknown())
        .optional()
        .describe("PreToolUse: complete arguments that replace the model's. The user is asked about the call."),
      additionalContext: optionalText.describe('Text for the model.'),
    })
    .optional(),
})

export type HookAnswer = z.infer<typeof hookAnswer>
