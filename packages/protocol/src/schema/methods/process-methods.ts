import * as z from 'zod'
import { forward } from '../event-parts.ts'

export const processMethods = {
  'conversation/interrupt': {
    about:
      "Stops the running turn, or without one and without `turnId` the user's own commands; answers at once, also when idle.",
    result: z.object({ interrupted: z.boolean().describe('False when nothing ran.') }),
  },
  'conversation/background': {
    about:
      "Sends a running command of the model's to the background: its call answers at once, the command goes on without time limit, as one that was started so. Its item completes with `background`.",
    result: z.object({ background: z.boolean().describe('False when the command does not run any more.') }),
  },
  'conversation/process/read': {
    about:
      'Reads output of a background command, or of a running command of the user: the newest lines, or the lines with a text. Memory has the first and the last 128 KiB. With `waitMs` it answers as soon as there is more.',
    result: z.object({
      end: z.string().nullable().describe('How it ended, in words; null while it runs.'),
      input: z
        .enum(['terminal', 'pipe'])
        .exactOptional()
        .describe('Input that `conversation/process/write` writes to; left out for a command without input.'),
      totalBytes: z.int().describe('Bytes of all of the output.'),
      omittedBytes: z.int().describe('Bytes in the middle that are no longer kept.'),
      binary: z.literal(true).exactOptional().describe('The output is no text; there are no lines.'),
      lines: z
        .array(z.object({ number: z.int().describe('From 1.'), text: z.string() }))
        .describe('Oldest first, without colours; at most 24 KiB.'),
      of: z.int().describe('Number of lines of the whole output, or of the lines that fit the search.'),
    }),
  },
  'conversation/process/tellWhen': {
    about:
      'Has a notice recorded, once, when a running command prints a line with a text, as `tell_when` of the model does. Lines that are there already do not count.',
    result: z.object({}),
  },
  'conversation/process/write': {
    about:
      "Types into a background command, or resizes its terminal. The text is recorded first, as a notice with `typed` and `by`. Clients that may run commands of their own may type anything; other clients only text that the model's `write_process` could write there unasked.",
    result: z.object({
      taken: z.boolean().describe('False while the command has not read all of it.'),
    }),
  },
  'conversation/forward': {
    about:
      'Lets programs on the machine of the server reach a port of the sandboxed commands, also in an environment whose owner allows it, at a name of its own, until it is stopped or the conversation is closed. Ask the user first: a page from there has the network of the browser. A port that is forwarded already keeps its name.',
    result: forward,
  },
  'conversation/forward/stop': {
    about: 'Ends the forwarding of a port, with its open connections.',
    result: z.object({ stopped: z.boolean().describe('False when the port was not forwarded.') }),
  },
} as const
