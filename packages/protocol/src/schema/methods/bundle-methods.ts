import * as z from 'zod'
import { conversationId } from '../ids.ts'
import { completedItem, core } from '../state.ts'
import { bundleContents, conversationSummary } from '../summaries.ts'

/** Methods that hand a conversation to other people: as a bundle or as a page to read. */
export const bundleMethods = {
  'bundle/describe': {
    about: "Lists the content of a conversation's bundle without writing it.",
    result: bundleContents,
  },
  'bundle/write': {
    about:
      'Writes a conversation to one verified file: its log and side files, redacted again. A file that exists is never replaced.',
    result: bundleContents.extend({
      file: z.string().describe('Absolute path of the bundle.'),
      sizeBytes: z.int(),
      digest: z.string().describe('Digest of the state after its last event, for comparing two machines.'),
    }),
  },
  'conversation/export': {
    about:
      'Reads a conversation for a file that others will see, redacted again as a bundle is: its state, then its completed items page by page from the newest. Needs no lock.',
    result: z.object({
      conversationId,
      core: core.exactOptional().describe('State after the last event of the log; left out with `before`.'),
      damagedEvents: z
        .int()
        .min(0)
        .exactOptional()
        .describe('Number of events of the log that cannot be read and are left out; left out with `before`.'),
      items: z.array(completedItem).describe('Oldest first.'),
      more: z.boolean().describe('There are older ones.'),
    }),
  },
  'bundle/open': {
    about:
      'Verifies a bundle and opens it as a fork in a folder of this machine. Waiting questions and approved calls end as denied; waiting messages, grants, added folders and the environment are dropped.',
    result: conversationSummary,
  },
} as const
