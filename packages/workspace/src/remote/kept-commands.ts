import type { CommandSpec, RunningCommand, StartOptions } from '@parley/host'
import { EnvironmentUnreachableError } from '../files/errors.ts'
import type { ExecConnection } from './exec-connection.ts'
import type { Link } from './link.ts'
import { runRemoteCommand } from './remote-commands.ts'

/** Commands that an exec-server keeps for a conversation, whichever server of it has started them. */
export interface KeptCommands {
  /** Resolves to the names of those that it has, with the ms that they have run. Empty where it cannot be reached. */
  found(): Promise<ReadonlyMap<string, number>>
  /** Resolves to the texts that users typed into them as secrets. */
  hidden(): Promise<readonly string[]>
  /** Goes on with one as if it had been started here: its output comes from the first byte. */
  follow(spec: CommandSpec & Required<Pick<CommandSpec, 'name'>>, options: FollowOptions): RunningCommand
  /** Says that the end of one is recorded, so that nothing needs to be kept of it. */
  forget(name: string): void
  /** Ends one that nobody follows. */
  end(name: string): void
}

interface FollowOptions extends StartOptions {
  /** Time that it has run. */
  readonly ageMs: number
}

/** Returns the commands that the session of a link keeps. */
export function remoteKept(link: Link): KeptCommands {
  const tell = async (...requests: (() => Promise<unknown>)[]) => {
    // One that cannot be told ends with the session.
    for (const request of requests) await request().catch(() => undefined)
  }
  const attached = async (): Promise<ExecConnection | null> => {
    if (!link.isOfConversation) return null
    try {
      return await link.connection()
    } catch (error) {
      if (error instanceof EnvironmentUnreachableError) return null
      throw error
    }
  }
  const forgotten = (processId: string) => () => link.ask('process/forget', { processId })
  return {
    found: async () => (await attached())?.processes ?? new Map(),
    hidden: async () => (await attached())?.hidden ?? [],
    follow: (spec, options) => runRemoteCommand(link, spec, options),
    forget: (processId) => void tell(forgotten(processId)),
    end: (processId) => void tell(() => link.ask('process/terminate', { processId }), forgotten(processId)),
  }
}
