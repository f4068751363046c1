import type { Command, HelpConfiguration } from 'commander'

/** Lines of `parley --help` about its commands, by group, in their order. `parley help COMMAND` prints the full help. */
const overview: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Conversations:': {
    demo: 'a session on a recorded model: no key needed',
    resume: 'go on with one; a list where none is named',
    attach: 'join one that another window has open',
    fork: 'a new one from any point of an old one',
    rewind: 'take files or talk back to an earlier point',
    list: 'all of them, newest first',
    search: 'those with all of these words',
    show: 'print one',
    diff: 'talk and patches between two points of one',
    export: 'write one as a page, as Markdown or as JSON',
    usage: 'tokens and cost of all',
    rename: 'name one; `parley resume NAME` finds it',
    archive: 'take one out of the list',
    unarchive: 'put one back into the list',
    delete: 'delete one with all its files',
    bundle: 'write one to a single verified file',
    open: 'go on in this folder with that of a bundle',
    replay: 'run one again from its log, and compare',
    rescue: 'save one whose log was deleted or replaced',
  },
  'Scripts:': {
    exec: 'one turn, or a review, without a terminal',
  },
  'What it may do, and why:': {
    config: 'each setting with its origin',
    policy: 'what the rules decide about a command',
    why: 'why a call was run, asked about or denied',
    trust: 'what a project brings, and your yes to it',
    hooks: 'your hooks, and those of a project',
    skills: "skills and commands, yours and a project's",
    doctor: 'check the machine, the settings, the network',
  },
  'Models and MCP servers:': {
    login: 'keep the key of a model provider',
    logout: 'forget it',
    provider: 'list providers and models, add packages',
    mcp: 'log in to an MCP server over HTTP',
  },
  'For a team:': {
    user: 'users of a server, and their tokens',
    share: 'who reaches a conversation, and links to it',
  },
  'For other programs:': {
    web: 'a page for your browser, on this machine only',
    server: 'JSON-RPC for clients of your own',
    'mcp-server': 'for MCP clients',
    acp: 'for editors that speak ACP',
    'app-server': 'for clients of Codex',
    'exec-server': 'lets a parley elsewhere work on this machine',
    store: 'bring conversations into a shared store',
  },
  'This program:': {
    update: 'how to get a newer version',
    uninstall: 'list all that it keeps, ask, and remove it',
    completion: 'a script with which your shell completes',
    help: 'all about a command',
  },
}

const names = Object.values(overview).flatMap((lines) => Object.keys(lines))

/** Names a command by its arguments alone, and keeps the commands of the program in the order of the overview. */
export const shortHelp: HelpConfiguration = {
  subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' '),
  visibleCommands: ({ commands, parent }) =>
    parent === null ? commands.toSorted((one, other) => placeOf(one) - placeOf(other)) : [...commands],
}

/** Gives each command of the program its line and its group. */
export function addOverview(program: Command): void {
  for (const [group, lines] of Object.entries(overview))
    for (const command of program.commands) {
      const line = lines[command.name()]
      if (line !== undefined) command.summary(line).helpGroup(group)
    }
}

const placeOf = (command: Command) => names.indexOf(command.name())

function argumentTerm(argument: Command['registeredArguments'][number]): string {
  const words = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required ? `<${words}>` : `[${words}]`
}
