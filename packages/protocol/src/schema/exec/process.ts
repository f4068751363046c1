import * as z from 'zod'

export const processId = z.string().min(1).max(200).describe('Chosen by the client, unique within its session.')
export const location = z.string().min(1).describe('An absolute path or a `file:` URI.')
export const bytes = z.base64().describe('Bytes as base64.')
/** Not checked on the way out, nor by a client: what we encoded ourselves, at the speed of `cat`. */
export const sentBytes = z.string().describe('Bytes as base64.')

/** Read by the exec-server, which refuses what it does not know: an object of any shape may be a wish it would drop. */
export const sandboxIntent = z
  .union([z.string(), z.looseObject({})])
  .nullish()
  .describe(
    '`read-only`, `workspace-write` or `danger-full-access`, or an object whose `type` or `mode` says so, with `writableRoots`, `networkAccess`, `unixSockets`, `masked`, `cwd`. Nothing means `danger-full-access`.',
  )

export const terminalSize = z
  .object({ rows: z.int().min(1).max(65535), cols: z.int().min(1).max(65535) })
  .describe('Of a terminal, in characters.')

const signal = z
  .enum([
    'interrupt',
    'terminate',
    'kill',
    'SIGINT',
    'SIGTERM',
    'SIGKILL',
    'SIGHUP',
    'SIGQUIT',
    'SIGUSR1',
    'SIGUSR2',
    'SIGCONT',
    'SIGSTOP',
    'SIGTSTP',
  ])
  .describe('`interrupt`, `terminate` and `kill` are SIGINT, SIGTERM and SIGKILL.')

const outputStream = z.enum(['stdout', 'stderr', 'pty'])
const seq = z.int().describe('Dense from 1 over output, exited and closed of one process.')
const sandboxDenied = z
  .boolean()
  .exactOptional()
  .describe(
    'It failed, and the kernel saw it try to reach a network it was not given. Other denials are in its own words only, so false does not rule them out.',
  )
const failure = z
  .string()
  .exactOptional()
  .describe('Its sandbox could not be set up after all: nothing of it was run, whatever the exit code.')
const byProcess = z.object({ processId })

export const processMethods = {
  'process/start': {
    about: 'Starts a process. The id is taken before anything is started, so a duplicate has no effect.',
    params: z.object({
      processId,
      argv: z.array(z.string()).describe('Not empty. Started as it is, without a shell.'),
      cwd: location,
      env: z.record(z.string(), z.string()).describe('The complete environment; nothing of the server’s is added.'),
      tty: z.boolean().default(false).describe('A terminal of its own instead of pipes.'),
      arg0: z.string().nullish().describe('What the program is told as its own name.'),
      pipeStdin: z.boolean().default(false).describe('Keep stdin open for `process/write`; a terminal always does.'),
      size: terminalSize.nullish().describe('24 × 80 unless told.'),
      sandbox: sandboxIntent,
      envPolicy: z.null().optional().describe('Not supported: send the complete environment.'),
    }),
    result: z.object({
      processId,
      sandboxType: z.string().describe('What confines it: `bubblewrap`, `landlock`, `seatbelt`; `none`: nothing.'),
    }),
  },
  'process/write': {
    about: 'Bytes for its stdin or terminal. Answered when it may send more.',
    params: z.object({
      processId,
      chunk: bytes,
      writeId: z.string().nullish().describe('A repeat with the same one is accepted and not delivered again.'),
      closeStdin: z.boolean().default(false).describe('End its piped stdin after these bytes.'),
    }),
    result: z.object({ accepted: z.literal(true), status: z.literal('accepted') }),
  },
  'process/resize': {
    about: 'A new size for its terminal.',
    params: z.object({ processId, size: terminalSize }),
    result: z.object({}),
  },
  'process/signal': {
    about: 'A signal to its process group.',
    params: z.object({ processId, signal }),
    result: z.object({ running: z.boolean().describe('False when there was none to take it.') }),
  },
  'process/terminate': {
    about: 'Kills its whole tree, with whatever has left its process group.',
    params: byProcess,
    result: z.object({ running: z.boolean().describe('False when it had ended, or is not known.') }),
  },
  'process/read': {
    about: 'What is kept of its output after a number; waits for more if there is none yet.',
    params: z.object({
      processId,
      afterSeq: z.int().min(0).nullish().describe('0 unless told: from the start.'),
      maxBytes: z.int().min(1).nullish().describe('1 MiB unless told, 16 MiB at most; one chunk comes in any case.'),
      waitMs: z.int().min(0).nullish().describe('How long to wait for something new, 0 unless told.'),
    }),
    result: z.object({
      chunks: z.array(z.object({ seq, stream: outputStream, chunk: sentBytes })),
      nextSeq: z.int().describe('One more than the last number told of: `afterSeq` of the next call is one less.'),
      gap: z
        .object({ fromSeq: z.int(), toSeq: z.int() })
        .nullable()
        .describe('Numbers asked for whose output is not kept any more, both inclusive.'),
      exited: z.boolean(),
      exitCode: z.int().nullable(),
      closed: z.boolean().describe('It has ended and all its output has a number up to `lastSeq`.'),
      lastSeq: z.int().describe('The highest number given so far.'),
      sandboxDenied,
      failure,
    }),
  },
} as const

export const processNotifications = {
  'process/output': z.object({ processId, seq, stream: outputStream, chunk: sentBytes }),
  'process/exited': z.object({
    processId,
    seq,
    exitCode: z.int().describe('128 and the number of the signal that ended it; -1 when it is not known.'),
    sandboxDenied,
    failure,
  }),
  'process/closed': z.object({ processId, seq }),
} as const
