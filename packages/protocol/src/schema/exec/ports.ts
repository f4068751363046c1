import * as z from 'zod'
import { bytes, fenced, sentBytes } from './process.ts'

const connectionId = z.string().min(1).max(200).describe('Chosen by the client, unique within its session.')
const afterByte = z.int().min(0)
const waitMs = z.int().min(0).max(20_000).default(0)

/** Bytes that one request carries at most. */
const maxPortBytes = 256 * 1024

export const portMethods = {
  'port/connect': {
    about:
      'Connects to a port on which a process of the session listens in a shared loopback, and to nothing else. A connection of this id that is there already stays as it is.',
    params: z.object({
      connectionId,
      sharedLoopback: z
        .string()
        .min(1)
        .max(64)
        .describe(
          'Name that the `sandbox` of the process has. Of several loopbacks of this name the one that was used last is tried first.',
        ),
      port: z.int().min(1).max(65_535),
      ...fenced,
    }),
    result: z.object({}),
  },
  'port/read': {
    about:
      'Reads further bytes of a connection; waits until there are some. The process is read no faster than the client asks.',
    params: z.object({
      connectionId,
      afterByte: afterByte.describe(
        'Number of bytes that have arrived: these are not kept any longer. The same number gives the same bytes again.',
      ),
      waitMs: waitMs.describe('Time to wait for the first byte in ms.'),
    }),
    result: z.object({
      chunk: sentBytes,
      ended: z.boolean().describe('The process has ended its side: these bytes are the last ones.'),
    }),
  },
  'port/write': {
    about:
      'Writes to a connection. Waits while the process does not read, then answers with the number of bytes written before.',
    params: z.object({
      connectionId,
      afterByte: afterByte.describe('Number of bytes that were written before these: a repeat is not delivered again.'),
      chunk: bytes.max(Math.ceil(maxPortBytes / 3) * 4),
      end: z.boolean().default(false).describe('These bytes are the last ones to write; reading continues.'),
      waitMs: waitMs.describe('Time to wait for the process to read in ms.'),
      ...fenced,
    }),
    result: z.object({ writtenBytes: z.int().describe('Number of all bytes that were written so far.') }),
  },
  'port/close': {
    about: 'Closes a connection, read or not.',
    params: z.object({ connectionId, ...fenced }),
    result: z.object({ closed: z.boolean().describe('False for an unknown id.') }),
  },
} as const
