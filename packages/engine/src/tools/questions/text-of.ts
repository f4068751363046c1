import { utf8Length } from '@parley/text'
import * as z from 'zod'

/** Returns the schema of a text that is not empty and fits. */
export function textOf(maxBytes: number) {
  return z
    .string()
    .trim()
    .min(1)
    .refine((text) => utf8Length(text) <= maxBytes, { error: `at most ${maxBytes} bytes` })
    .describe(`At most ${maxBytes} bytes.`)
}
