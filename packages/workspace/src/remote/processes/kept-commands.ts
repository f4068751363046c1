import type { CommandSpec, RunningCommand, StartOptions } from '@parley/host'
import { EnvironmentUnreachableError } from '../../files/errors.ts'
import type { ExecLink } from '../link.ts'
import { runRemoteCommand } from './remote-commands.ts'

/** Commands of a conversation with what was hidden in them, by one answer: nobody follows one without the other. */
export interface FoundCommands {
  /** Names of its commands, with the ms that they have run. */
  readonly ages: ReadonlyMap<string, number>
  /** Texts that users typed into them as secrets. */
  readonly hidden: readonly string[]
}

/** Commands that an exec-server keeps for a conversation, whichever server of it has started them. */
export interface KeptCommands {
  /**
   * Resolves to those that it has; to none where it cannot be reached, which is tried for as long as a link is waited for
   * where some are expected.
   */
  found(areExpected: boolean): Promise<FoundCommands>
  /** Goes on with one as if it had been started here: its output comes from the first byte. */
  follow(spec: CommandSpec & Required<Pick<CommandSpec, 'name'>>, options: FollowOptions): RunningCommand
  /** Says that the end of one is recorded: nothing needs to be kept of it, and it is ended if it runs all the same. */
  forget(name: string): void
  /** Ends all that an earlier server of the conversation has started, but for these; once it is reached where it is not. */
  keepOnly(names: ReadonlySet<string>): void
}

interface FollowOptions extends StartOptions {
  /** Time that it has run. */
  readonly ageMs: number
}

export const nothingFound: FoundCommands = { ages: new Map(), hidden: [] }

/** Returns the commands that the session of a link keeps. */
export function remoteKept(link: ExecLink): KeptCommands {
  return {
    async found(areExpected) {
      if (!link.isOfConversation) return nothingFound
      try {
        const { processes: ages, hidden } = await (areExpected ? link.reached() : link.connection())
        return { ages, hidden }
      } catch (error) {
        if (error instanceof EnvironmentUnreachableError) return nothingFound
        throw error
      }
    },
    follow: (spec, options) => runRemoteCommand(link, spec, options),
    forget: (name) => link.dropped.add(name),
    keepOnly(names) {
      if (link.isOfConversation) link.dropped.keepOnly(names)
    },
  }
}
