import { type HookEvent, hookEvents, hookMatches } from '@parley/protocol'
import * as z from 'zod'
import { hookTimeoutDefault } from './defaults.ts'

/** Upper bound of a hook's time limit, in seconds. */
const maxTimeoutSeconds = 600

/** Hook as it may stand at the top of a file, for people. */
export const hookExample =
  'hooks.PreToolUse = [{ matcher = "Bash", hooks = [{ command = "~/bin/check.sh", timeout = 10 }] }]'

/** Returns the schema of `[hooks]`: groups of hooks by their event. */
export function hooksConfig() {
  const isFull = z.string().regex(/\S/, 'must not be empty')
  const handler = z.object({
    type: z.literal('command', { error: 'must be "command": parley runs no other hooks' }).optional(),
    command: z.union([isFull, z.array(z.string()).min(1)], {
      error: ({ input }) =>
        `${input === undefined ? 'is missing, and ' : ''}must be a line for the shell ("…"), or a list of words`,
    }),
    name: isFull.max(60).optional(),
    timeout: z.number().positive().max(maxTimeoutSeconds).optional(),
    required: z.boolean().optional(),
    outside_sandbox: z.boolean().optional(),
  })
  const matcher = z.string().refine(isPattern, 'must be a regular expression').optional()
  const groups = z
    .array(z.object({ matcher, hooks: z.array(handler).min(1) }))
    .max(100)
    .optional()
  const shape = Object.fromEntries(hookEvents.map((event) => [event, groups]))
  return z.object(shape as Record<HookEvent, typeof groups>) // narrowed: one entry for each event
}

function isPattern(matcher: string): boolean {
  try {
    hookMatches(matcher, 'PreToolUse', '')
    return true
  } catch {
    return false
  }
}

export type HooksConfig = z.infer<ReturnType<typeof hooksConfig>>

export interface ConfiguredHook {
  readonly on: HookEvent
  readonly matcher?: string
  /** `name`, else the command. */
  readonly name: string
  /** A text is for the shell; words are an argv. */
  readonly command: string | readonly string[]
  readonly timeoutMs: number
  /** True blocks the guarded action if the hook fails. */
  readonly required: boolean
  readonly outsideSandbox: boolean
}

/** Returns the hooks of a configuration in the order of their runs. */
export function configuredHooks(config: HooksConfig | undefined): readonly ConfiguredHook[] {
  if (config === undefined) return []
  return hookEvents.flatMap((on) =>
    (config[on] ?? []).flatMap(({ matcher, hooks }) =>
      hooks.map(({ command, name, timeout = hookTimeoutDefault, required, outside_sandbox }) => ({
        on,
        ...(matcher === undefined ? {} : { matcher }),
        name: name ?? (typeof command === 'string' ? command : command.join(' ')).slice(0, 60),
        command,
        timeoutMs: timeout * 1000,
        required: required === true,
        outsideSandbox: outside_sandbox === true,
      })),
    ),
  )
}
