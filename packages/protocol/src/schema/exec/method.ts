import * as z from 'zod'
import { enforcement } from '../settings.ts'
import { fileMethods } from './files.ts'
import { portMethods } from './ports.ts'
import { type Fence, fenced, processMethods, processNotifications } from './process.ts'

export const execProtocolVersion = 'exec-server.v0'

const uri = z.string().describe('A `file:` URI.')

const environmentInfo = z
  .object({
    shell: z.object({ name: z.string(), path: z.string() }),
    executorVersion: z.string(),
    cwd: uri,
    userHomeDir: uri,
    tempDir: uri,
    platformOs: z.string(),
    env: z
      .record(z.string(), z.string())
      .exactOptional()
      .describe(
        'Environment variables of the server that clients may pass to a process; `process/start` adds none by itself.',
      ),
    sandbox: z
      .object({
        enforcement: enforcement
          .exactOptional()
          .describe('How much of the limits of a process is enforced. Older exec-servers leave it out.'),
        reason: z
          .string()
          .describe('One sentence for people: the mechanism that enforces limits here, or the missing part.'),
        sharesLoopback: z
          .literal(true)
          .exactOptional()
          .describe(
            'Processes whose `sandbox` names a `sharedLoopback` reach each other there. Missing where they cannot.',
          ),
      })
      .exactOptional()
      .describe('Sandbox that is available now; left out when there is none.'),
    capabilities: z.object({
      sandbox: z.boolean().describe('False: no process can be confined, and a request to confine one is rejected.'),
      pty: z.boolean(),
      processResize: z.boolean(),
      sessionResume: z.boolean(),
      outputGaps: z.boolean().describe('`process/read` reports which numbers it no longer has.'),
      fences: z
        .boolean()
        .exactOptional()
        .describe(
          'Requests of an earlier epoch are rejected, and conversations have sessions. Missing in older servers.',
        ),
      fileHashes: z.boolean().describe('`fs/writeFile` takes `expectedHash`.'),
      ports: z
        .boolean()
        .exactOptional()
        .describe(
          'Clients may connect to ports in shared loopbacks; false: the owner of the machine does not allow it. Missing in older servers.',
        ),
    }),
  })
  .describe('The machine that processes run on.')

const people = z.object({
  owner: z.string().exactOptional().describe('User who owns the machine. Left out on a server without users.'),
  users: z.array(z.string()).max(200).describe('Users who own the conversations that the connection is for.'),
})

/** Users of a connection, as a server announces them to a machine that has connected to it. */
export type People = z.infer<typeof people>

/** Methods of an exec-server: name → parameters and result. */
export const execMethods = {
  initialize: {
    about: 'First request of a connection; then the client notifies `initialized`.',
    params: z.object({
      clientName: z.string(),
      resumeSessionId: z.string().nullish().describe('Id of a session that lost its connection at most 30 s ago.'),
      people: people
        .exactOptional()
        .describe('For an exec-server that has connected by itself: owners of the conversations on this connection.'),
      ...fenced,
    }),
    result: z.object({
      protocolVersion: z.literal(execProtocolVersion),
      sessionId: z.string(),
      environmentInfo,
      processes: z
        .array(
          z.object({
            processId: z.string(),
            ageMs: z.number().describe('Time since its start, or that it ran.'),
            hidden: z.array(z.string()).exactOptional().describe('Texts that were written to it with `hidden`.'),
          }),
        )
        .exactOptional()
        .describe('With `fence`: processes that the session of the conversation has, ended ones too.'),
    }),
  },
  'environment/info': { about: 'Returns the same as `initialize`.', params: z.object({}), result: environmentInfo },
  ...processMethods,
  ...fileMethods,
  ...portMethods,
} as const

/** Notifications of an exec-server: name → parameters. */
export const execNotifications = processNotifications

export type ExecMethods = {
  readonly [Name in keyof typeof execMethods]: {
    /** Parameters as a client sends them: parameters with a default are optional. */
    readonly params: z.input<(typeof execMethods)[Name]['params']>
    readonly decoded: z.output<(typeof execMethods)[Name]['params']>
    readonly result: z.output<(typeof execMethods)[Name]['result']>
  }
}
export type ExecMethodName = keyof ExecMethods
export type ExecParamsOf<Name extends ExecMethodName> = ExecMethods[Name]['params']
export type ExecResultOf<Name extends ExecMethodName> = ExecMethods[Name]['result']
export type ExecNotifications = {
  readonly [Name in keyof typeof execNotifications]: z.output<(typeof execNotifications)[Name]>
}
export type { Fence }

/** Tells if requests of a method carry a fence: methods that change something, and `initialize`. */
export function isFenced(method: ExecMethodName): boolean {
  return 'fence' in execMethods[method].params.shape
}

export type ExecNotificationName = keyof ExecNotifications
