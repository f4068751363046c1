import type { StartCommand } from '../ports/client-commands.ts'
import type { ClientFiles } from '../ports/client-files.ts'
import type { CommandPorts } from './start-command.ts'

interface AccessSources extends Pick<CommandPorts, 'redaction'> {
  /** Resolves to the places of secrets on this machine. */
  readonly secrets: () => Promise<CommandPorts['secrets']>
  readonly host: CommandPorts['processes']
}

/** Work of clients on this machine without a conversation. */
export interface ClientAccess {
  readonly startCommand: StartCommand
  readonly clientFiles: ClientFiles
}

/** Returns the work of clients without a conversation; its code is loaded with the first use. */
export function clientAccess(
  { secrets, redaction, host: processes }: AccessSources,
  {
    home,
    files,
    env,
    environments,
    shellParser,
    userRules,
    projects,
    ceiling,
  }: Omit<CommandPorts, keyof AccessSources | 'processes'>,
): ClientAccess {
  const ports = async (): Promise<CommandPorts> => ({
    home,
    files,
    env,
    environments,
    shellParser,
    userRules,
    projects,
    ceiling,
    secrets: await secrets(),
    redaction,
    processes,
  })
  const clientFiles = async () => (await import('./read-files.ts')).createClientFiles(await ports())
  return {
    async startCommand(command) {
      const { startClientCommand } = await import('./start-command.ts')
      return startClientCommand(command, await ports())
    },
    clientFiles: {
      read: async (path, maxBytes) => (await clientFiles()).read(path, maxBytes),
      list: async (path) => (await clientFiles()).list(path),
      find: async (path, query) => (await clientFiles()).find(path, query),
      look: async (path) => (await clientFiles()).look(path),
    },
  }
}
