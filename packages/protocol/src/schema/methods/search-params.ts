import * as z from 'zod'

/** Parameters of methods that search, without schemas of results. */
export const searchParams = {
  'conversation/search': z.object({
    query: z.string().max(1000).describe('Words, and phrases in quotation marks.'),
    cwd: z.string().exactOptional().describe('Only conversations of this folder.'),
    archived: z.boolean().exactOptional().describe('Only archived ones, or only the others; default all.'),
    limit: z.int().min(1).max(200).exactOptional().describe('Default 20.'),
    waitMs: z.int().min(0).max(10_000).exactOptional().describe('Time to read what is not read yet; default 100.'),
  }),
} as const
