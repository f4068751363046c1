import * as z from 'zod'

export const trustVerdict = z
  .enum(['trusted', 'declined'])
  .describe('`declined`: nothing of it takes effect, and it is not mentioned again until it changes.')

export type TrustVerdict = z.infer<typeof trustVerdict>
