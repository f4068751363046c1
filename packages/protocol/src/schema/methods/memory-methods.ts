import * as z from 'zod'
import { fileChangeEntry } from '../call-parts.ts'
import { itemId } from '../ids.ts'
import { itemStatus } from '../item.ts'

/** Methods that change the instruction files of all conversations. */
export const memoryMethods = {
  'conversation/remember/plan': {
    about: 'Plans to add a line to an instruction file: AGENTS.md, or CLAUDE.md if that file is read. Changes nothing.',
    result: z.object({
      path: z.string().describe('Absolute path of the file.'),
      hash: z.string().describe('Hash of the planned content, for `conversation/remember`.'),
      changes: z.array(fileChangeEntry).describe('The file, with its diff.'),
    }),
  },
  'conversation/remember': {
    about:
      'Adds the line as planned, in a `fileChange` item with `remembered`, which a rewind undoes. The model is told of it. -32005 `planChanged` when the file has changed since the plan; -32006 while a turn is open; -32007 when the policy denies it.',
    result: z.object({
      itemId: itemId.describe('Id of its `fileChange` item.'),
      seq: z.int().describe('Seq of the event before it: a rewind to it undoes this.'),
      status: itemStatus.describe('`completed`, or `failed` with no file changed.'),
    }),
  },
} as const
