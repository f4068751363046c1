import type { ExecMethodName, ExecNotificationName } from '@parley/protocol/exec'

/** The names a client uses. The older ones were in the first description of this protocol. */
export type Spelling = 'process' | 'command'

export const olderNames = {
  'command/exec': 'process/start',
  'command/write': 'process/write',
  'command/terminate': 'process/terminate',
} as const satisfies Record<string, ExecMethodName>

const notificationNames: Readonly<Record<Spelling, Readonly<Record<ExecNotificationName, string>>>> = {
  process: {
    'process/output': 'process/output',
    'process/exited': 'process/exited',
    'process/closed': 'process/closed',
  },
  command: {
    'process/output': 'command/outputDelta',
    'process/exited': 'command/exited',
    'process/closed': 'command/closed',
  },
}

export function notificationName(spelling: Spelling, name: ExecNotificationName): string {
  return notificationNames[spelling][name]
}
