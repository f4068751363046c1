import * as z from 'zod'

export const cursor = z
  .object({ seq: z.int().min(0), crc: z.string().nullable() })
  .describe('The last event folded: its `seq` and `crc`. `{seq: 0, crc: null}` is before the first.')

export type Cursor = z.infer<typeof cursor>
