import * as z from 'zod'
import { fileMethods } from './files.ts'
import { processMethods, processNotifications } from './process.ts'

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
      .describe('What of the server’s own environment a process may be given; `process/start` adds nothing by itself.'),
    sandbox: z
      .object({
        enforcement: z
          .enum(['full', 'partial', 'none'])
          .exactOptional()
          .describe('How much of the limits of a process something enforces. Older exec-servers leave it out.'),
        reason: z.string().describe('One sentence for people: what enforces limits here, or what is missing.'),
      })
      .exactOptional()
      .describe('What can confine processes here, as of now. Left out: nothing can.'),
    capabilities: z.object({
      sandbox: z.boolean().describe('False: no process can be confined, and a request to confine one is rejected.'),
      pty: z.boolean(),
      processResize: z.boolean(),
      sessionResume: z.boolean(),
      outputGaps: z.boolean().describe('`process/read` says which numbers it no longer has.'),
      fileHashes: z.boolean().describe('`fs/writeFile` takes `expectedHash`.'),
    }),
  })
  .describe('The machine that processes run on.')

/** Everything a client of an exec-server may ask: name → parameters and result. */
export const execMethods = {
  initialize: {
    about: 'First request of a connection; then the client notifies `initialized`.',
    params: z.object({
      clientName: z.string(),
      resumeSessionId: z.string().nullish().describe('A session whose connection was lost not longer than 30 s ago.'),
    }),
    result: z.object({ protocolVersion: z.literal(execProtocolVersion), sessionId: z.string(), environmentInfo }),
  },
  'environment/info': { about: 'As in the answer to `initialize`.', params: z.object({}), result: environmentInfo },
  ...processMethods,
  ...fileMethods,
} as const

/** What an exec-server sends unasked: name → parameters. */
export const execNotifications = processNotifications

export type ExecMethods = {
  readonly [Name in keyof typeof execMethods]: {
    /** As a client sends them: what has a default may be left out. */
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
export type ExecNotificationName = keyof ExecNotifications
