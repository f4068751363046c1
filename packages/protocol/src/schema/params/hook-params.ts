import * as z from 'zod'
import { hookEvents } from '../../modes/hook-names.ts'

/** Environment of a folder that a request names. */
export const environment = z
  .string()
  .min(1)
  .exactOptional()
  .describe('Environment that the folder is in, from the `cwd` of its settings on; default this machine.')

/** Parameters of methods about hooks, without schemas of results. */
export const hookParams = {
  'hook/list': z.object({ cwd: z.string().describe('Folder to look from; absolute.'), environment }),
  'hook/try': z.object({
    cwd: z.string().describe('Folder to work in; absolute.'),
    on: z.enum(hookEvents).describe('Event of the hooks to run.'),
    name: z.string().exactOptional().describe('Only hooks of this name.'),
    input: z.record(z.string(), z.unknown()).exactOptional().describe('Fields that replace fields of an example.'),
  }),
} as const
