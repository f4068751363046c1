import type { Command } from 'commander'
import type { Launch } from '../main.ts'
import type { Settle } from './define-program.ts'
import { type CommonFlags, parseCount } from './flags.ts'
import { flagsOf, withCommonFlags } from './shared-options.ts'

const listedAtMost = 20

export function defineLookups(program: Command, launch: Launch, settle: Settle): void {
  program
    .command('list')
    .description('conversations, newest first')
    .option('--json', 'one JSON object a line')
    .option('--archived', 'the archived ones')
    .option('--limit <n>', 'how many', parseCount(1), listedAtMost)
    .action((flags: { json?: boolean; archived?: boolean; limit: number }) =>
      settle(import('./list.ts').then(({ runList }) => runList(launch, flags))),
    )
  withCommonFlags(program.command('config'))
    .description('the effective configuration, each value with its origin')
    .option('--json', 'as JSON')
    .action((_flags: unknown, command: Command) => {
      const flags = flagsOf<CommonFlags & { json?: boolean }>(command)
      return settle(import('./show-config.ts').then(({ showConfig }) => showConfig(launch, flags)))
    })
}
