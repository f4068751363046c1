import type { Command } from 'commander'
import type { Launch } from '../cli/launch-server.ts'
import type { UninstallFlags } from '../commands/own-copy/uninstall.ts'
import type { Settle } from './shared-options.ts'

export function defineOwnCopy(program: Command, launch: Launch, settle: Settle): void {
  program
    .command('update')
    .description(
      'say how this copy was installed, its version, and how to get a newer one; asks nobody, changes nothing',
    )
    .option('--json', 'as JSON')
    .action((flags: { json?: boolean }) =>
      settle(import('../commands/own-copy/installation.ts').then(({ runUpdate }) => runUpdate(launch, flags))),
    )
  program
    .command('uninstall')
    .description(
      'list what parley keeps on this machine (settings, keys, conversations, caches) with its size, ask, and remove it. Exit code 9 while a server uses it',
    )
    .option('--keep-conversations', 'leave conversations, with what their rewinds need')
    .option('--yes', 'do not ask; without it and without a terminal nothing is removed (exit code 12)')
    .action((flags: UninstallFlags) =>
      settle(import('../commands/own-copy/uninstall.ts').then(({ runUninstall }) => runUninstall(launch, flags))),
    )
}
