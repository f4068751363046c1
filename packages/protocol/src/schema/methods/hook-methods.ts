import * as z from 'zod'
import { hookRef, hookRun } from '../hook-run.ts'

const listedHook = hookRef
  .extend({
    matcher: z.string().exactOptional(),
    command: z.union([z.string(), z.array(z.string())]).describe('A line for the shell, or words.'),
    timeoutMs: z.number(),
    required: z.boolean(),
    outsideSandbox: z.boolean(),
    runs: z.boolean().describe('False for one of a project that is not trusted as it is now, and with `--safe`.'),
  })
  .describe('A hook as it is configured.')

const { outcome, reason, context, endsTurn, said, exitCode, durationMs } = hookRun

const triedHook = z
  .object({
    hook: hookRef,
    ...{ outcome, reason, context, endsTurn, said, exitCode, durationMs },
    updatedInput: z.record(z.string(), z.unknown()).exactOptional().describe('Arguments that it would put in place.'),
    message: z.string().exactOptional().describe('Text for the user.'),
  })
  .describe('A trial run of a hook, without consequences.')

export const hookMethods = {
  'hook/list': {
    about: 'Lists the hooks of the user and of the project of a folder, including hooks that do not run.',
    result: z.object({ hooks: z.array(listedHook) }),
  },
  'hook/try': {
    about:
      'Runs the hooks of a moment once, as in a new conversation in the folder. Their answers have no consequences.',
    result: z.object({
      input: z.record(z.string(), z.unknown()).describe('Object that they read.'),
      runs: z.array(triedHook),
    }),
  },
} as const

export type ListedHook = z.infer<typeof listedHook>
export type TriedHook = z.infer<typeof triedHook>
