import * as z from 'zod'

export const clientAccess = z
  .enum(['full', 'readOnly'])
  .describe('`readOnly`: look-ups only; what changes something is -32007.')

export type ClientAccess = z.infer<typeof clientAccess>
