import * as z from 'zod'
import { fileChangeEntry } from './item.ts'
import { leftAlone } from './redaction-marks.ts'

export const pathContent = z
  .object({
    hash: leftAlone(z.string(), 'hash')
      .exactOptional()
      .describe('sha256 of the content, or of where a link leads; left out for one that was not kept.'),
    mode: z.int().exactOptional().describe('Permission bits, where they are known.'),
    link: z.literal(true).exactOptional().describe('Present for a link.'),
  })
  .describe('Content of a file at a moment.')

export const changedPath = z
  .object({
    path: leftAlone(z.string(), 'path').describe('Real path.'),
    before: pathContent.nullable().describe('Null when there was no file.'),
    after: pathContent.nullable().describe('Null when there is no file.'),
  })
  .describe('A file that a call changed.')

export const leftFile = z
  .object({
    path: z.string().describe('Path relative to the folder of the conversation where possible.'),
    why: z
      .enum(['changedSince', 'notKept', 'notPossible'])
      .describe(
        '`changedSince`: it is not as the last call left it, so somebody else changed it. `notKept`: its earlier content is not kept. `notPossible`: something else stands in its place.',
      ),
    text: z.string().describe('One sentence for people.'),
  })
  .describe('A file that a rewind leaves as it is.')

export const rewindPlan = z
  .object({
    to: z.int().describe('Seq of the event after which files were as the rewind makes them.'),
    hash: z.string().describe('Hash of all that would be written, for `conversation/rewind`.'),
    changes: z.array(fileChangeEntry).describe('Files that it would write or remove, with their diffs.'),
    left: z.array(leftFile).describe('Files that changed since and that it would leave as they are.'),
    notes: z
      .array(z.string())
      .describe('Sentences on what is not covered: commands in too large a folder, calls whose end is unknown.'),
  })
  .describe('Plan to bring files back to how they were at an earlier point.')

export type PathContent = z.infer<typeof pathContent>
export type ChangedPath = z.infer<typeof changedPath>
export type LeftFile = z.infer<typeof leftFile>
export type RewindPlan = z.infer<typeof rewindPlan>
