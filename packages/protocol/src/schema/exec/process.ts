import * as z from 'zod'

const processId = z.string().min(1).max(200).describe('Chosen by the client, unique within its session.')
export const location = z.string().min(1).describe('An absolute path or a `file:` URI.')
export const bytes = z.base64().describe('Bytes as base64.')
/** Base64 that is not validated: the sender encoded it, and output must flow as fast as from `cat`. */
export const sentBytes = z.string().describe('Bytes as base64.')

/** Sandbox policy. The schema passes any object on: the exec-server itself rejects keys that it does not know. */
export const sandboxIntent = z
  .union([z.string(), z.looseObject({})])
  .nullish()
  .describe(
    '`read-only`, `workspace-write` or `danger-full-access`, or an object with one of these as `type` or `mode`, and with `writableRoots`, `networkAccess`, `unixSockets`, `masked`, `cwd`. The default is `danger-full-access`.',
  )

/**
 * Proof that a server of a store owns a conversation. Requests that change something carry it; if two servers claim the
 * conversation, the exec-server obeys the one with the later fence.
 */
const fence = z
  .object({
    conversation: z.string().min(1).max(200).describe('Id of the conversation.'),
    epoch: z.int().min(1).describe('Number that grows with each server that takes the conversation.'),
  })
  .describe(
    'Conversation of a store, and the epoch of the sending server. A request with an epoch below the highest known one is rejected without effect.',
  )

export type Fence = z.output<typeof fence>

/** Fence of a request that changes something; clients without a store leave it out. */
export const fenced = { fence: fence.exactOptional() }

const terminalSize = z
  .object({ rows: z.int().min(1).max(65535), cols: z.int().min(1).max(65535) })
  .describe('Size of a terminal in characters.')

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
    'The process failed, and the kernel recorded that it tried to reach a network without permission. False does not rule out that the sandbox blocked something else.',
  )
const failure = z
  .string()
  .exactOptional()
  .describe('The sandbox could not be set up: nothing was run, whatever the exit code.')

const exchanged = z
  .array(
    z.object({
      text: z.string().describe('Sentence for people and the model.'),
      moved: z
        .object({ path: z.string(), aside: z.string() })
        .exactOptional()
        .describe('Present for files that were moved aside.'),
    }),
  )
  .exactOptional()
  .describe(
    'Paths of files that run later and were changed or created during the process, and their fate; absent without any.',
  )

export const processMethods = {
  'process/start': {
    about: 'Starts a process. The id is taken before anything is started, so a duplicate has no effect.',
    params: z.object({
      processId,
      argv: z.array(z.string()).describe('Not empty. Started as it is, without a shell.'),
      cwd: location,
      env: z
        .record(z.string(), z.string())
        .describe('Complete environment variables; the server adds none of its own.'),
      tty: z.boolean().default(false).describe('Use a terminal instead of pipes.'),
      arg0: z.string().nullish().describe('Value of the program’s own name, argument 0.'),
      pipeStdin: z.boolean().default(false).describe('Keep stdin open for `process/write`; a terminal always does.'),
      size: terminalSize.nullish().describe('Size of the terminal; default 24 × 80.'),
      sandbox: sandboxIntent,
      ...fenced,
      envPolicy: z.null().optional().describe('Not supported: send the complete environment.'),
    }),
    result: z.object({
      processId,
      sandboxType: z.string().describe('Sandbox of the process: `bubblewrap`, `landlock`, `seatbelt` or `none`.'),
    }),
  },
  'copy/make': {
    about:
      'Keeps a read-only copy of files for processes that must run exactly these, outside of what processes may write to, and returns its folder. It lasts as long as the session; of all copies of a session 64 MiB are kept.',
    params: z.object({
      key: z
        .string()
        .min(1)
        .max(200)
        .describe('Chosen by the client. A copy of this key that is there already is returned as it is.'),
      files: z
        .array(
          z.object({
            path: z.string().min(1).max(4096).describe('Relative to the folder of the copy, without `.` and `..`.'),
            dataBase64: bytes,
            executable: z.boolean(),
          }),
        )
        .max(300)
        .exactOptional()
        .describe('Without it nothing is created, and an existing copy is returned.'),
      ...fenced,
    }),
    result: z.object({
      folder: z.string().nullable().describe('Folder as a `file:` URI; null if no copy exists and nothing was sent.'),
    }),
  },
  'process/write': {
    about: 'Writes to the stdin or terminal of a process. The response comes when more may be sent.',
    params: z.object({
      processId,
      chunk: bytes,
      writeId: z.string().nullish().describe('A repeat with the same id is accepted and not delivered again.'),
      closeStdin: z.boolean().default(false).describe('Close the piped stdin after these bytes.'),
      hidden: z
        .literal(true)
        .exactOptional()
        .describe(
          'The bytes are a secret, at most 64 KiB, that a later server of the conversation has to hide in outputs, too: kept in memory with the process. Older servers do not.',
        ),
      ...fenced,
    }),
    result: z.object({ accepted: z.literal(true), status: z.literal('accepted') }),
  },
  'process/resize': {
    about: 'Resizes the terminal of a process.',
    params: z.object({ processId, size: terminalSize, ...fenced }),
    result: z.object({}),
  },
  'process/signal': {
    about: 'Sends a signal to the process group.',
    params: z.object({ processId, signal, ...fenced }),
    result: z.object({ running: z.boolean().describe('False when no process was running.') }),
  },
  'process/terminate': {
    about: 'Kills the whole process tree, including processes that left the process group.',
    params: z.object({ processId, ...fenced }),
    result: z.object({ running: z.boolean().describe('False when the process had ended or is unknown.') }),
  },
  'process/forget': {
    about:
      'Drops the kept output of an ended process. In the session of a conversation it is kept until then; one that runs is not affected.',
    params: z.object({ processId, ...fenced }),
    result: z.object({ forgotten: z.boolean().describe('False when the process runs or is unknown.') }),
  },
  'process/read': {
    about: 'Reads kept output after a number; waits for more if there is none yet.',
    params: z.object({
      processId,
      afterSeq: z.int().min(0).nullish().describe('Number to read after; default 0, from the start.'),
      maxBytes: z
        .int()
        .min(1)
        .nullish()
        .describe('Bytes to return; default 1 MiB, 16 MiB at most. One chunk is always returned.'),
      waitMs: z.int().min(0).nullish().describe('Time to wait for new output in ms; default 0.'),
    }),
    result: z.object({
      chunks: z.array(z.object({ seq, stream: outputStream, chunk: sentBytes })),
      nextSeq: z.int().describe('Last number in this result plus one; `afterSeq` of the next call is one less.'),
      gap: z
        .object({ fromSeq: z.int(), toSeq: z.int() })
        .nullable()
        .describe('Requested numbers of output that is no longer kept, both inclusive.'),
      exited: z.boolean(),
      exitCode: z.int().nullable(),
      closed: z.boolean().describe('The process has ended and all of its output has a number up to `lastSeq`.'),
      lastSeq: z.int().describe('The highest number given so far.'),
      sandboxDenied,
      failure,
      exchanged,
    }),
  },
} as const

export const processNotifications = {
  'process/output': z.object({ processId, seq, stream: outputStream, chunk: sentBytes }),
  'process/exited': z.object({
    processId,
    seq,
    exitCode: z.int().describe('For a signal 128 plus its number; -1 when unknown.'),
    sandboxDenied,
    failure,
  }),
  'process/closed': z.object({ processId, seq, exchanged }),
} as const
