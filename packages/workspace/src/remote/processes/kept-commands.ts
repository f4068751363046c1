import type { CommandSpec, RunningCommand, StartOptions } from '@parley/host'
import { EnvironmentUnreachableError } from '../../files/errors.ts'
import type { ExecLink } from '../link.ts'
import { runRemoteCommand } from './remote-commands.ts'

/**
 * Commands of a conversation and the secrets typed into them, in one answer: no caller follows a command without its
 * secrets.
 */
export interface FoundCommands {
  /** Names of its commands, with the ms that they have run. */
  readonly ages: ReadonlyMap<string, number>
  /** Texts that users typed into them as secrets. */
  readonly hidden: readonly string[]
}

/** Commands that an exec-server keeps for a conversation, whichever of its servers started them. */
export interface KeptCommands {
  /**
   * Resolves to its commands; to an empty list where it cannot be reached. Where commands are expected, it keeps trying
   * for as long as a link may stay away.
   */
  found(areExpected: boolean): Promise<FoundCommands>
  /** Continues a command as if it had been started here: its output comes from the first byte. */
  follow(spec: CommandSpec & Required<Pick<CommandSpec, 'name'>>, options: FollowOptions): RunningCommand
  /** Reports that the end of a command is recorded: the exec-server drops its output, and ends it if it still runs. */
  forget(name: string): void
  /** Ends all commands of an earlier server of the conversation, except these; once the machine can be reached. */
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
