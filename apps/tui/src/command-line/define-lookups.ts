import { type Command, Option } from 'commander'
import { type CommonFlags, named, parseCount } from '../cli/flags.ts'
import type { Launch } from '../cli/launch-server.ts'
import type { BundleFlags, OpenFlags } from '../commands/bundle.ts'
import type { TrustFlags } from '../commands/configuration.ts'
import type { DoctorFlags } from '../commands/doctor.ts'
import type { ExportFlags } from '../commands/export/run-export.ts'
import type { PolicyFlags } from '../commands/policy.ts'
import type { ReplayFlags } from '../commands/replay.ts'
import type { RewindFlags } from '../commands/rewind.ts'
import type { DiffFlags, ShowFlags } from '../commands/show.ts'
import type { UsageFlags } from '../commands/usage.ts'
import { defineHooks, defineSkills } from './define-own-parts.ts'
import { flagsOf, type Settle, safeOption, withCommonFlags, withJudgingFlags, withServer } from './shared-options.ts'

/** Defines commands that look at conversations, settings and providers, and a few that change them. */
export function defineLookups(program: Command, launch: Launch, settle: Settle): void {
  const definers = [
    defineSettings,
    defineHistory,
    defineBundles,
    defineReplay,
    defineRescue,
    defineProviders,
    defineChecks,
  ]
  for (const define of definers) define(program, launch, settle)
}

/** Defines `rewind`, `usage`, `trust`, `hooks`, `skills` and `config`. */
function defineSettings(program: Command, launch: Launch, settle: Settle): void {
  program
    .command('rewind <id>')
    .description(
      'take files back to an earlier point, or go on from there in a copy; without --to the points there are (also for fork --at)',
    )
    .option('--to <seq>', 'the last event that counts', parseCount(1))
    .option('--files', 'the files (the default)')
    .option('--talk', 'the talk: a copy of it up to there')
    .option('--both', 'files and talk')
    .option('--summary', 'with --talk or --both: the model summarises what the copy leaves out, and is told that in it')
    .option('--overwrite', 'also files that somebody else changed since')
    .option('--yes', 'do it; without it only the diff is shown (exit code 12 if something would change)')
    .option('--json', 'as JSON')
    .action((id: string, flags: RewindFlags) =>
      settle(import('../commands/rewind.ts').then(({ runRewind }) => runRewind(launch, id, flags))),
    )
  program
    .command('usage')
    .description('tokens and cost of all conversations')
    .addOption(new Option('--by <what>', 'one line for each').choices(['day', 'model', 'folder']).default('day'))
    .option('--since <day>', 'from this day on: 2026-11-01, or 7d', named)
    .option('--json', 'one JSON object a line')
    .action((flags: UsageFlags) =>
      settle(import('../commands/usage.ts').then(({ runUsage }) => runUsage(launch, flags))),
    )
  withServer(program.command('trust'))
    .description("what a project's own configuration would do; nothing of it takes effect unless you trust it")
    .option('-C, --cd <dir>', 'a folder of the project', named)
    .option('--environment <name>', 'a project on the machine of this environment', named)
    .option('--yes <hash>', 'trust exactly what was shown with this hash', named)
    .option('--no', 'decline what is there')
    .option('--json', 'as JSON')
    .action((_flags: unknown, command: Command) =>
      settle(
        import('../commands/configuration.ts').then(({ decideTrust }) =>
          decideTrust(launch, flagsOf<TrustFlags>(command)),
        ),
      ),
    )
  defineHooks(program, launch, settle)
  defineSkills(program, launch, settle)
  withCommonFlags(program.command('config'))
    .description('the effective configuration, each value with its origin')
    .option('--json', 'as JSON')
    .action((_flags: unknown, command: Command) => {
      const flags = flagsOf<CommonFlags & { json?: boolean }>(command)
      return settle(import('../commands/configuration.ts').then(({ showConfig }) => showConfig(launch, flags)))
    })
}

function defineHistory(program: Command, launch: Launch, settle: Settle): void {
  withServer(program.command('show [conversation]'))
    .description(
      'print a conversation, each entry with its number: the newest of this folder, or the one that is named. `fork --at NUMBER` goes on from there',
    )
    .option('--at <seq>', 'as it was after this event', parseCount(1))
    .option('--json', 'one JSON object a line')
    .action((conversation: string | undefined, flags: ShowFlags) =>
      settle(
        import('../commands/show.ts').then(({ showConversation }) => showConversation(launch, conversation, flags)),
      ),
    )
  withServer(program.command('diff [conversation]'))
    .description('what was said and run between two points of a conversation, with the diffs of its patches')
    .option('--from <seq>', 'after this event; default the beginning', parseCount(0))
    .option('--to <seq>', 'up to this event; default the end', parseCount(1))
    .option('--json', 'one JSON object a line')
    .action((conversation: string | undefined, flags: DiffFlags) =>
      settle(
        import('../commands/show.ts').then(({ diffConversation }) => diffConversation(launch, conversation, flags)),
      ),
    )
}

function defineBundles(program: Command, launch: Launch, settle: Settle): void {
  program
    .command('bundle [conversation]')
    .description(
      'write a conversation to one verified file, secrets redacted again: the newest of this folder, or the one that is named. Lists first what the file will hold',
    )
    .option('-o, --output <file>', 'a file that does not exist; default parley-ID.tar here', named)
    .option('--no-outputs', 'leave out what commands and tools printed')
    .option('--yes', 'do not ask')
    .option('--json', 'as JSON')
    .action((conversation: string | undefined, flags: BundleFlags) =>
      settle(import('../commands/bundle.ts').then(({ runBundle }) => runBundle(launch, conversation, flags))),
    )
  withServer(program.command('export [conversation]'))
    .description(
      'write a conversation for people or programs to read, secrets redacted again: the newest of this folder, or the one that is named',
    )
    .option('--html', 'a page in one file, without scripts')
    .option('--md', 'Markdown')
    .option('--json', 'one JSON object')
    .option('-o, --output <file>', 'a file that does not exist, whose name can say the form; default stdout', named)
    .option('--no-outputs', 'leave out what commands and tools printed')
    .option('--last', 'the newest one of this folder')
    .action((conversation: string | undefined, flags: ExportFlags) =>
      settle(
        import('../commands/export/run-export.ts').then(({ runExport }) => runExport(launch, conversation, flags)),
      ),
    )
  program
    .command('open <bundle>')
    .description('verify a bundle and make a conversation of it that works in this folder')
    .option('-C, --cd <dir>', 'a folder to work in instead', named)
    .option('--json', 'as JSON')
    .action((path: string, _flags: unknown, command: Command) =>
      settle(import('../commands/bundle.ts').then(({ runOpen }) => runOpen(launch, path, flagsOf<OpenFlags>(command)))),
    )
}

function defineRescue(program: Command, launch: Launch, settle: Settle): void {
  program
    .command('rescue <id>')
    .description(
      'save a conversation whose log was deleted, emptied or replaced while a window or script has it open: what its server still holds becomes a new conversation',
    )
    .action((id: string) => settle(import('../commands/rewind.ts').then(({ runRescue }) => runRescue(launch, id))))
}

function defineReplay(program: Command, launch: Launch, settle: Settle): void {
  program
    .command('replay [conversation]')
    .description(
      'run a conversation again with the outcomes of its log, and compare event by event: the newest of this folder, one that is named, a log or a bundle. Asks no model, starts nothing, changes nothing. Exit code 11 where it differs',
    )
    .option('--json', 'as JSON')
    .action((conversation: string | undefined, _flags: unknown, command: Command) =>
      settle(
        import('../commands/replay.ts').then(({ runReplay }) =>
          runReplay(launch, conversation, flagsOf<ReplayFlags>(command)),
        ),
      ),
    )
}

/** Defines `provider list`, `models`, `add` and `remove`. */
function defineProviders(program: Command, launch: Launch, settle: Settle): void {
  const provider = program.command('provider').description('the model providers: `parley provider list`')
  provider
    .command('list')
    .description('ready-made and configured providers: address, key, and which one is chosen and why')
    .option('--json', 'one JSON object a line')
    .action((flags: { json?: boolean }) =>
      settle(import('../commands/providers.ts').then(({ listProviders }) => listProviders(launch, flags))),
    )
  provider
    .command('models [provider]')
    .description(
      'ask one provider, or the chosen and the configured ones, for their models; what they say of windows and prices is kept. Exit code 8 when none answers',
    )
    .option('--kept', 'show what was listed last, and ask nobody')
    .option('--json', 'one JSON object a line')
    .action((name: string | undefined, flags: { kept?: boolean; json?: boolean }) =>
      settle(
        import('../commands/providers.ts').then(({ listProviderModels }) => listProviderModels(launch, name, flags)),
      ),
    )
  provider
    .command('add <package>')
    .description(
      'install a provider package of the AI SDK (name, name@version or file) with locked versions and without its scripts; shows it and asks',
    )
    .option('--yes', 'do not ask')
    .action((name: string, flags: { yes?: boolean }) =>
      settle(import('../commands/provider-packages.ts').then(({ addProvider }) => addProvider(launch, name, flags))),
    )
  provider
    .command('remove <package>')
    .description('take an installed provider package away')
    .action((name: string) =>
      settle(import('../commands/provider-packages.ts').then(({ removeProvider }) => removeProvider(launch, name))),
    )
}

/** Defines `policy test`, `why` and `doctor`, which change nothing. */
function defineChecks(program: Command, launch: Launch, settle: Settle): void {
  const policy = program
    .command('policy')
    .description('what the rules and settings decide: `parley policy test COMMAND`')
  withJudgingFlags(policy.command('test [command...]'))
    .description(
      'what would be decided about a command (one shell line, or words after --); nothing is run. Exit code: 0 allowed, 10 asks, 11 denied',
    )
    .option(
      '--conversation <id>',
      'judge every call of a conversation again instead: what would change? Exit code 12 then',
      named,
    )
    .option('--outside', 'as if the call asked to run outside the sandbox')
    .option('--network', 'as if the call asked for the network')
    .option('--rules <file>', 'rules to take instead of policy.toml', named)
    .option('--policy <file>', 'rules to lay over it, as `parley exec --policy` does', named)
    .option('--json', 'as JSON')
    .action((command: string[], _flags: unknown, self: Command) =>
      settle(
        import('../commands/policy.ts').then(({ testPolicy }) =>
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
      settle(import('../commands/policy.ts').then(({ showWhy }) => showWhy(launch, [first, second], flags))),
    )
  const doctor = program
    .command('doctor')
    .enablePositionalOptions()
    .description(
      'check what parley needs: terminal, home, configuration, sandbox, provider; changes nothing. Exit code 1 when there is a problem',
    )
    .option('--no-provider', 'do not ask the model provider')
    .addOption(safeOption())
    .option('--json', 'as JSON')
    .action((flags: DoctorFlags) =>
      settle(import('../commands/doctor.ts').then(({ runDoctor }) => runDoctor(launch, flags))),
    )
  doctor
    .command('net [provider]')
    .description(
      'the way to a model provider step by step: name, connection, TLS, key, one token (which may cost a little). Exit code 1 at the first step that fails',
    )
    .option('-m, --model <name>', 'the model to ask for one token', named)
    .option('--json', 'one JSON object a line')
    .action((provider: string | undefined, _flags: unknown, self: Command) =>
      settle(
        import('../commands/doctor.ts').then(({ runNetworkDoctor }) =>
          runNetworkDoctor(launch, provider, flagsOf<{ model?: string; json?: boolean }>(self)),
        ),
      ),
    )
}
