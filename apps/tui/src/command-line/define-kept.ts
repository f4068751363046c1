import type { Command } from 'commander'
import { named, parseCount } from '../cli/flags.ts'
import type { Launch } from '../cli/launch-server.ts'
import type { SearchFlags } from '../commands/kept/search.ts'
import { flagsOf, type Settle, withServer } from './shared-options.ts'

const listedAtMost = 20

/** Defines `list`, `search`, `rename`, `archive`, `unarchive` and `delete`. */
export function defineKept(program: Command, launch: Launch, settle: Settle): void {
  withServer(program.command('list'))
    .description('conversations, newest first')
    .option('--json', 'one JSON object a line')
    .option('--archived', 'the archived ones')
    .option('--limit <n>', 'how many', parseCount(1), listedAtMost)
    .action((flags: { json?: boolean; archived?: boolean; limit: number }) =>
      settle(import('../commands/kept/list.ts').then(({ runList }) => runList(launch, flags))),
    )
  withServer(program.command('search <words...>'))
    .description(
      'conversations that have all words in what was said, run, printed or changed, with the newest place. A word finds longer ones, "in quotation marks" it does not. Exit code 5 where there is none',
    )
    .option('-C, --cd <dir>', 'only those of this folder', named)
    .option('--archived', 'only the archived ones')
    .option('--limit <n>', 'how many', parseCount(1), listedAtMost)
    .option('--json', 'one JSON object a line')
    .action((words: string[], _flags: unknown, command: Command) =>
      settle(
        import('../commands/kept/search.ts').then(({ runSearch }) =>
          runSearch(launch, words, flagsOf<SearchFlags>(command)),
        ),
      ),
    )
  const changes = () => import('../commands/kept/change-kept.ts')
  withServer(program.command('rename <id> <name>'))
    .description('name a conversation; `parley resume NAME` finds it')
    .action((id: string, name: string) =>
      settle(changes().then(({ renameConversation }) => renameConversation(launch, id, name))),
    )
  withServer(program.command('archive <id>'))
    .description('take a conversation out of the list; nothing is deleted')
    .action((id: string) => settle(changes().then(({ archiveConversation }) => archiveConversation(launch, id, true))))
  withServer(program.command('unarchive <id>'))
    .description('put an archived conversation back into the list')
    .action((id: string) => settle(changes().then(({ archiveConversation }) => archiveConversation(launch, id, false))))
  withServer(program.command('delete <id>'))
    .description('delete a conversation with all its files; shows it and asks')
    .option('--yes', 'do not ask')
    .action((id: string, flags: { yes?: boolean }) =>
      settle(changes().then(({ deleteConversation }) => deleteConversation(launch, id, flags))),
    )
}
