import type { Command } from 'commander'
import { named } from '../cli/flags.ts'
import type { Launch } from '../cli/launch-server.ts'
import type { LoginFlags } from '../commands/login.ts'
import type { Settle } from './shared-options.ts'

/** Defines `login`, `login status`, `logout`, `mcp login` and `mcp logout`. */
export function defineLogin(program: Command, launch: Launch, settle: Settle): void {
  const login = program
    .command('login')
    .argument('[provider]', 'id of the provider; that of the configuration or openai when left out', named)
    .description(
      'keep the key of a provider: typed unseen, or read from stdin (never an argument). It is tried before it is kept. Exit code 3 when it is refused',
    )
    .option('--oauth', 'log in with a browser, at the issuer that the configuration names for the provider')
    .option(
      '--device',
      'the same by a code that is typed in a browser anywhere; chosen by itself where there is no desktop',
    )
    .enablePositionalOptions()
    .helpCommand(false)
    .action((provider: string | undefined, flags: LoginFlags) =>
      settle(import('../commands/login.ts').then(({ runLogin }) => runLogin(launch, provider ?? null, flags))),
    )
  login
    .command('status')
    .description('the providers with a key, and where each key is; never a key')
    .option('--json', 'as JSON')
    .action((flags: { json?: boolean }) =>
      settle(import('../commands/login.ts').then(({ showLogins }) => showLogins(launch, flags))),
    )
  program
    .command('logout')
    .argument('[provider]', 'may be left out when one key is kept', named)
    .description('forget the kept key of a provider')
    .action((provider: string | undefined) =>
      settle(import('../commands/login.ts').then(({ runLogout }) => runLogout(launch, provider ?? null))),
    )
  const mcp = program.command('mcp').description('log in to an MCP server over HTTP: `parley mcp login NAME`')
  mcp
    .command('login')
    .argument('<name>', 'key of an [mcp_servers.NAME] of your config.toml', named)
    .description('log in with a browser, by OAuth at the server that the MCP server names; the tokens are kept')
    .action((name: string) =>
      settle(import('../commands/login.ts').then(({ logInToMcpServer }) => logInToMcpServer(launch, name))),
    )
  mcp
    .command('logout')
    .argument('<name>', '', named)
    .description('forget the login')
    .action((name: string) =>
      settle(import('../commands/login.ts').then(({ logOutOfMcpServer }) => logOutOfMcpServer(launch, name))),
    )
}
