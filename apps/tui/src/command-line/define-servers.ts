import type { Command } from 'commander'
import type { serverPrograms } from '../cli/early-arguments.ts'
import { misused } from '../cli/exit-codes.ts'
import { parseCount } from '../cli/flags.ts'
import type { Launch } from '../cli/launch-server.ts'
import type { WebFlags } from '../commands/page/web.ts'
import { type Settle, safeOption, withServer, withServerAddress } from './shared-options.ts'

/** Defines the help of the servers. A server parses its own arguments: `bin` starts it when its name comes first. */
export function defineServers(program: Command): void {
  defineServer(program)
  withEngine(
    define(
      program,
      'mcp-server',
      'the same engine as an MCP server, on stdio or HTTP; docs/mcp-server.md describes it',
    ),
  )
    .option(
      '--listen <url>',
      'serve streamable HTTP at http://HOST:PORT/mcp instead of stdio (port 0 takes a free one)',
    )
    .option(
      '--token-file <file>',
      'with --listen: the token that clients must send (made when missing; default: mcp-token in the home); with --server: its token',
    )
    .option(
      '--approval-timeout <time>',
      'an approval that is not answered for so long is denied: 90s, 30m, 2h or never',
      '30m',
    )
  withServer(
    withCeiling(define(program, 'acp', 'parley in an editor that speaks ACP, on stdio; docs/editors.md describes it')),
  )
  withEngine(
    define(
      program,
      'app-server',
      'the same engine for clients of Codex: its terminal, editors and adapters; docs/app-server.md describes it',
    ),
  )
    .option(
      '--listen <address>',
      'serve clients at ws://HOST:PORT or unix:PATH instead of stdio (port 0 takes a free one)',
    )
    .option(
      '--token-file <file>',
      'with a websocket: the token that clients must send (made when missing; default: app-server-token in the home); with --server: its token',
    )
  defineExecServer(program)
  defineStore(program)
}

function defineStore(program: Command): void {
  define(
    program,
    'store',
    'bring conversations into a store that servers share or out of it, and compare both; docs/operating.md describes it',
  )
    .usage('copy --to URL [ID...] | copy --from URL [ID...] | verify [ID...]')
    .option('--to <url>', 'copy what this machine has to nats://HOST:PORT,HOST:PORT')
    .option('--from <url>', 'copy what the store has to this machine')
    .option('--store <url>', 'with verify: the store; default: that of your config.toml')
    .option('--all', 'all conversations')
    .option('--dry-run', 'only say what would be copied')
    .option('--json', 'one JSON object a line')
}

function defineServer(program: Command): void {
  withCeiling(define(program, 'server', 'the conversation JSON-RPC server on stdio; docs/protocol describes it'))
    .option(
      '--listen <address>',
      'serve clients at ws://HOST:PORT, wss://HOST:PORT or unix:PATH instead of stdio (repeatable; port 0 takes a free one)',
    )
    .option(
      '--token-file <file>',
      'with a websocket: the token that clients must send (made when missing; default: server-token in the home)',
    )
    .option('--tls-cert <file>', 'with wss://: its certificate and those that lead to its authority, as PEM')
    .option('--tls-key <file>', 'with wss://: the key of the certificate, as PEM')
    .option(
      '--advertise <address>',
      'wss://NAME:PORT by which browsers, and with --store clients of other servers, reach this one; default: where it listens',
    )
    .option(
      '--ca-file <file>',
      'with --store: authorities of the certificates of other servers, as PEM, where clients are passed on to them',
    )
    .option('--daemon', 'in the background; says its process and socket, and ends with kill or --idle-exit')
    .option(
      '--idle-exit <time>',
      'leave when nobody is connected and nothing runs for 90s, 30m, 2h (daemon: 30m) or never',
    )
    .option(
      '--store <url>',
      'keep conversations in a store that servers share: nats://HOST:PORT,HOST:PORT, or none, whatever [store] says; docs/team-server.md describes it',
    )
    .option(
      '--users <file>',
      'users with a token and rights of their own, in place of --token-file; docs/team-server.md describes it',
    )
    .option(
      '--page',
      'with --users and a websocket: the page for browsers at the same address; docs/team-server.md describes it',
    )
    .option(
      '--metrics',
      'with a websocket: counts for Prometheus at its /metrics, for clients with the token; docs/operating.md lists them',
    )
    .option('--log-format <format>', 'json: with --listen, events on stderr as JSON; docs/operating.md lists them')
    .option('--record <file>', 'write down what models say, for playing back')
}

function defineExecServer(program: Command): void {
  define(program, 'exec-server', 'runs processes for a client over JSON-RPC on stdio; docs/exec-server.md describes it')
    .option(
      '--listen <address>',
      'serve clients at ws://HOST:PORT or unix:PATH instead of stdio (port 0 takes a free one)',
    )
    .option(
      '--token-file <file>',
      'with a websocket: the token that clients must send (made when missing; default: exec-server-token in the home)',
    )
    .option('--max-sandbox <mode>', 'the most that clients may ask for (default: what you may); docs/exec-server.md')
    .option('--root <folder>', 'nothing outside is read, written or used as working folder; may be repeated')
    .option(
      '--forward <answer>',
      'let clients reach ports in the sandboxes, for /forward: yes or no (default: yes, but no with --max-sandbox, --root or --connect)',
    )
    .option(
      '--unix-sockets <answer>',
      'let sandboxed processes use unix sockets, and services of this machine by them: yes or no (default: as of --forward)',
    )
    .option(
      '--connect <addresses>',
      'connect to servers by itself instead (wss://HOST:PORT, several with commas), with the token of --token-file',
    )
    .option(
      '--name <name>',
      'with --connect: the name that an environment of the servers refers to: connected = "NAME"',
    )
    .option('--users <names>', 'with --connect: users besides you who may work on this machine')
    .option('--ca-file <file>', 'with --connect: the authority of certificates that this machine does not know')
    .option(
      '--allow-unencrypted',
      'with --connect: ws:// also to other machines; whoever is on the way reads all of it',
    )
    .option('--no-linger', 'end what a client runs as soon as its connection is lost, not after 30 s')
}

/** Adds the flags of a program that has its own engine, or uses servers instead. */
function withEngine(command: Command): Command {
  return withServerAddress(withCeiling(command))
}

/** Adds the flags of a server's ceiling, which no client can exceed. */
function withCeiling(command: Command): Command {
  return command
    .option(
      '--max-sandbox <mode>',
      'the most that any conversation may be allowed (default: workspace-write, or what your config.toml says if that is more)',
    )
    .option('--allow-never', 'with --max-sandbox danger-full-access: allow the approval policy never, too')
    .option(
      '--allow-secret-folder <dir>',
      'let conversations work in this folder although secrets are kept in it (repeatable)',
    )
    .option('--profile <name>', 'take the defaults of these two from this [profiles.NAME] of your config.toml')
    .addOption(safeOption())
}

function define(program: Command, name: (typeof serverPrograms)[number], description: string): Command {
  return program
    .command(name)
    .description(description)
    .action(() => {
      throw misused(`Its name comes first: parley ${name} …, then its flags.`)
    })
}

export function defineWeb(program: Command, launch: Launch, settle: Settle): void {
  program
    .command('web [id]')
    .description('print a link to a page for your browser, on this machine only; with an id of that conversation')
    .option('--port <port>', 'port to listen on; a free one otherwise', parseCount(1))
    .option('--read-only', 'whoever opens the link can only watch; with an id that conversation alone')
    .action((id: string | undefined, flags: WebFlags) =>
      settle(import('../commands/page/web.ts').then(({ runWeb }) => runWeb(launch, id, flags))),
    )
}
