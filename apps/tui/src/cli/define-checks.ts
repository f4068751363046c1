import type { Command } from 'commander'
import type { Launch } from '../main.ts'
import type { Settle } from './define-program.ts'
import type { DoctorFlags } from './doctor/run-doctor.ts'
import { named } from './flags.ts'
import type { PolicyFlags } from './policy/test-policy.ts'
import { flagsOf, withJudgingFlags } from './shared-options.ts'

/** What says what would happen, why something did, and whether all is well. None of them changes anything. */
export function defineChecks(program: Command, launch: Launch, settle: Settle): void {
  const policy = program
    .command('policy')
    .description('what the rules and settings say; `parley policy test` asks them')
  withJudgingFlags(policy.command('test [command...]'))
    .description(
      'what would be decided about a command (one shell line, or words after --); nothing is run. Exit code: 0 allowed, 10 asks, 11 denied',
    )
    .option(
      '--conversation <id>',
      'judge every call of a conversation again instead: what would change? Exit code 12 then',
      named,
    )
    .option('--rules <file>', 'rules to take instead of policy.toml', named)
    .option('--policy <file>', 'rules to lay over it, as `parley exec --policy` does', named)
    .option('--json', 'as JSON')
    .action((command: string[], _flags: unknown, self: Command) =>
      settle(
        import('./policy/test-policy.ts').then(({ testPolicy }) =>
          testPolicy(launch, command, flagsOf<PolicyFlags>(self)),
        ),
      ),
    )
  program
    .command('why [conversation] [item]')
    .description(
      'why a call was run, asked about or denied: the last one of the newest conversation of this folder, or the one that is named (how many calls back, a part of its title or id)',
    )
    .option('--json', 'as JSON')
    .action((first: string | undefined, second: string | undefined, flags: { json?: boolean }) =>
      settle(import('./policy/tell-why.ts').then(({ tellWhy }) => tellWhy(launch, [first, second], flags))),
    )
  program
    .command('doctor')
    .description('whether what parley needs is there and sound; changes nothing. Exit code 1 when there is a problem')
    .option('--no-provider', 'do not ask the model provider')
    .option('--json', 'as JSON')
    .action((flags: DoctorFlags) =>
      settle(import('./doctor/run-doctor.ts').then(({ runDoctor }) => runDoctor(launch, flags))),
    )
}
