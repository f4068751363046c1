import * as z from 'zod'

export const sideFile = z
  .string()
  .describe('`sha256:<hex>` of a file beside the log; read it with `conversation/readFile`.')
