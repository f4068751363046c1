import { sandboxModes } from '@parley/protocol'
import { type Command, Option } from 'commander'
import { named, parseCount } from '../cli/flags.ts'
import type { Launch } from '../cli/launch-server.ts'
import type { ShareFlags } from '../commands/people/share.ts'
import type { NewUserFlags, UsersFlags } from '../commands/people/users.ts'
import { flagsOf, type Settle, withServer } from './shared-options.ts'

/** Defines `user add`, `list`, `remove` and `token`, and `share`. */
export function definePeople(program: Command, launch: Launch, settle: Settle): void {
  const users = program.command('user').description('users of a server of a team; docs/team-server.md describes them')
  const commands = () => import('../commands/people/users.ts')
  withFile(
    users.command('add <name>').description('add a user, and print the token of its clients, which is told once'),
  )
    .addOption(
      new Option('--role <role>', 'admins manage users, and read no more than others').choices(['admin', 'member']),
    )
    .addOption(new Option('--max-sandbox <mode>', 'the most that this user may use').choices([...sandboxModes]))
    .option('--again', 'a name that had a user before: it gets again what was shared with it')
    .action((name: string, _flags: unknown, command: Command) =>
      settle(commands().then(({ addUser }) => addUser(launch, name, flagsOf<NewUserFlags>(command)))),
    )
  withFile(users.command('list').description('the users, and those who were removed'))
    .option('--json', 'one JSON object a line')
    .action((_flags: unknown, command: Command) =>
      settle(commands().then(({ listUsers }) => listUsers(launch, flagsOf<UsersFlags>(command)))),
    )
  withFile(
    users.command('remove <name>').description('end the connections of a user, and let in none any more'),
  ).action((name: string, _flags: unknown, command: Command) =>
    settle(commands().then(({ removeUser }) => removeUser(launch, name, flagsOf<UsersFlags>(command)))),
  )
  withFile(users.command('token <name>').description('print a new token; the one before counts no more')).action(
    (name: string, _flags: unknown, command: Command) =>
      settle(commands().then(({ renewToken }) => renewToken(launch, name, flagsOf<UsersFlags>(command)))),
  )
  defineShare(program, launch, settle)
}

function withFile(command: Command): Command {
  return withServer(command).option('--users <file>', 'the users file; default users_file of your config.toml', named)
}

function defineShare(program: Command, launch: Launch, settle: Settle): void {
  withServer(program.command('share <id> [user] [role]'))
    .description(
      'who reaches a conversation on a server with users; with a user and a role (owner, editor, approver, reader, none) change it',
    )
    .option('--link', 'make a code by which anyone reads it')
    .option('--days <number>', 'with --link: days until it ends; 7 otherwise', parseCount(1))
    .option('--revoke <link>', 'end a link', named)
    .action((conversation: string, user: string | undefined, role: string | undefined, flags: ShareFlags) =>
      settle(
        import('../commands/people/share.ts').then(({ shareConversation }) =>
          shareConversation(launch, [conversation, user, role], flags),
        ),
      ),
    )
}
