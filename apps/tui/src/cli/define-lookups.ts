import type { Command } from 'commander'
import type { Launch } from '../main.ts'
import type { TrustFlags } from './decide-trust.ts'
import type { Settle } from './define-program.ts'
import { type CommonFlags, named, parseCount } from './flags.ts'
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
  program
    .command('trust')
    .description("what a project's own configuration would do; nothing of it takes effect unless you trust it")
    .option('-C, --cd <dir>', 'a folder of the project')
    .option('--yes <hash>', 'trust exactly what was shown with this hash', named)
    .option('--no', 'decline what is there')
    .option('--json', 'as JSON')
    .action((_flags: unknown, command: Command) =>
      settle(import('./decide-trust.ts').then(({ decideTrust }) => decideTrust(launch, flagsOf<TrustFlags>(command)))),
    )
  withCommonFlags(program.command('config'))
    .description('the effective configuration, each value with its origin')
    .option('--json', 'as JSON')
    .action((_flags: unknown, command: Command) => {
      const flags = flagsOf<CommonFlags & { json?: boolean }>(command)
      return settle(import('./show-config.ts').then(({ showConfig }) => showConfig(launch, flags)))
    })
}
