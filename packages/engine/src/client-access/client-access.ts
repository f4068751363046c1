import type { StartCommand } from '../ports/client-commands.ts'
import type { ClientFiles } from '../ports/client-files.ts'
import type { CommandPorts } from './start-command.ts'

type AccessPorts = Omit<CommandPorts, 'secrets' | 'redaction' | 'processes'>

interface Parts extends Pick<CommandPorts, 'redaction'> {
  /** Resolves to the places of secrets on this machine. */
  readonly secrets: () => Promise<CommandPorts['secrets']>
  readonly host: CommandPorts['processes']
}

interface ClientAccess {
  readonly startCommand: StartCommand
  readonly clientFiles: ClientFiles
}

/** Returns what clients do without a conversation; the code is loaded with the first use. */
export function clientAccess({ secrets, redaction, host: processes }: Parts, ports: AccessPorts): ClientAccess {
  const around = async () => ({ ...ports, secrets: await secrets(), redaction, processes })
  const files = async () => (await import('./read-files.ts')).createClientFiles(await around())
  return {
    async startCommand(command) {
      const { startClientCommand } = await import('./start-command.ts')
      return startClientCommand(command, await around())
    },
    clientFiles: {
      read: async (path, maxBytes) => (await files()).read(path, maxBytes),
      list: async (path) => (await files()).list(path),
      find: async (path, query) => (await files()).find(path, query),
      look: async (path) => (await files()).look(path),
    },
  }
}
