import type { Client } from '@parley/client/browser'
import { readFix } from '@parley/presentation/commands/fix-request'
import { forwardList, forwardUsage, readForward } from '@parley/presentation/commands/forward-words'
import { draftRequest } from '@parley/presentation/commands/memory-words'
import { readReviewWords } from '@parley/presentation/commands/review-words'
import {
  approvalChoices,
  effortChoices,
  modeChoices,
  type SettingChoice,
  sandboxChoices,
} from '@parley/presentation/commands/setting-choices'
import { accessTable, readShare, shareConversation } from '@parley/presentation/commands/share-words'
import {
  argumentsFor,
  completionsFor,
  modelSettings,
  type ParsedCommand,
  type SlashName,
  slashCommands,
} from '@parley/presentation/commands/slash-commands'
import { needsTerminal } from '@parley/presentation/composer/needs-terminal'
import { hooksTable } from '@parley/presentation/notices/hooks-table'
import { mcpTable, type Notice, whyTable } from '@parley/presentation/notices/notice'
import { contextTable, statusTable } from '@parley/presentation/notices/status-tables'
import { nothingToGoBackTo, undoPoint } from '@parley/presentation/rewind/rewind-choices'
import { count } from '@parley/presentation/text/formats'
import {
  approvalPolicies,
  type ConversationId,
  type ConversationState,
  efforts,
  modeNamed,
  type ParamsOf,
  pairOf,
  reviewRequest,
  samePlace,
  sandboxModes,
} from '@parley/protocol'
import type { GoBack } from '../transcript/access.ts'

export interface CommandContext {
  readonly client: Client
  readonly state: ConversationState
  /** Reads the state anew: before the first message, no event tells of settings. */
  readonly refresh: () => Promise<void>
  readonly page: PageActions
}

/** Parts of the page that a command opens. */
interface PageActions {
  readonly goTo: (conversationId: ConversationId) => void
  readonly goBack: GoBack
  /** Shows a line as it would be written to an instruction file. */
  readonly remember: (text: string) => void
  /** Shows the list of background commands. Returns false for an empty list. */
  readonly openProcesses: () => boolean
  /** Asks whether the browser may reach a port of the sandbox. */
  readonly askToForward: (port: number) => void
}

type Run = (argument: string, context: CommandContext) => Promise<Notice | null>

/** Commands of the terminal that the page has; the others need a terminal, or have a button here. */
const commands: Partial<Readonly<Record<SlashName, Run>>> = {
  help: async () => table('Commands', helpRows()),
  async model(argument, context) {
    if (argument !== '') return configure(context, modelSettings(argument))
    return table('Models: /model ID uses another', await modelRows(context))
  },
  async effort(argument, context) {
    const effort = efforts.find((level) => level === argument)
    return effort === undefined ? choices('Effort', argument, effortChoices) : configure(context, { effort })
  },
  async mode(argument, context) {
    const mode = modeNamed(argument)
    return mode === undefined ? choices('Mode', argument, modeChoices) : configure(context, pairOf(mode))
  },
  async approvals(argument, context) {
    const approvalPolicy = approvalPolicies.find((policy) => policy === argument)
    if (approvalPolicy === undefined) return choices('When to ask', argument, approvalChoices)
    return configure(context, { approvalPolicy })
  },
  async sandbox(argument, context) {
    const sandbox = sandboxModes.find((mode) => mode === argument)
    if (sandbox === undefined) return choices('What commands may write to', argument, sandboxChoices)
    return configure(context, { sandbox })
  },
  async compact(argument, { client, state }) {
    const { conversationId } = state.core.meta
    if (argument === 'undo') {
      const { tokens } = await client.request('conversation/compact/undo', { conversationId })
      return note(
        `What was last left out of the model's view is back: the next request has about ${count(tokens)} tokens.`,
      )
    }
    const instructions = argument === '' ? {} : { instructions: argument }
    await client.request('conversation/compact', { conversationId, ...instructions })
    return null
  },
  async review(words, context) {
    const asked = readReviewWords(words)
    if (asked === null) return note('/review [--base BRANCH | --commit RANGE] [what matters]')
    // The page reads no files: the model looks at the changes by itself.
    return sendText(context, reviewRequest(asked.span, asked.focus), { purpose: 'review' })
  },
  async fix(words, context) {
    const fix = readFix(words, context.state.window)
    return 'problem' in fix ? note(fix.problem) : sendText(context, fix.text)
  },
  init: (what, context) => sendText(context, draftRequest(what)),
  async remember(text, { page }) {
    if (text === '') return note('/remember TEXT: adds a line to an instruction file, after showing it.')
    page.remember(text)
    return null
  },
  ps: async (_, { page }) => (page.openProcesses() ? null : note('No command runs in the background.')),
  async forward(argument, { client, state, page }) {
    const asked = readForward(argument)
    if (!('port' in asked)) return note(asked.kind === 'list' ? forwardList(state) : forwardUsage)
    const { port } = asked
    if (asked.kind === 'ask') {
      page.askToForward(port)
      return null
    }
    const { conversationId } = state.core.meta
    const { stopped } = await client.request('conversation/forward/stop', { conversationId, port })
    return note(stopped ? `Port ${port} is no longer forwarded.` : `Port ${port} is not forwarded.`)
  },
  async why(item, { client, state }) {
    const call = item === '' ? {} : { item }
    return whyTable(await client.request('policy/why', { conversation: state.core.meta.conversationId, ...call }))
  },
  hooks: async (_, { client, state: { core } }) => hooksTable(await client.request('hook/list', folderOf(core))),
  mcp: async (_, { client }) => mcpTable(await client.request('mcp/list', {})),
  async status(_, { client, state }) {
    const server = await client.request('server/diagnostics', {})
    const { providers } = await client.request('provider/list', {})
    return statusTable(state, { ...server, isSafe: client.isSafe }, providers)
  },
  async context(_, { client, state }) {
    const { conversationId } = state.core.meta
    return contextTable(await client.request('conversation/context', { conversationId }))
  },
  async name(name, { client, state, refresh }) {
    if (name === '') return note('/name NAME: names this conversation.')
    await client.request('conversation/rename', { conversationId: state.core.meta.conversationId, name })
    await refresh()
    return null
  },
  async share(words, { client, state, refresh }) {
    const { access, conversationId } = state.core.meta
    if (words === '') return accessTable(access, Date.now())
    const asked = readShare(words)
    if (asked === null) return note('/share [USER ROLE | link [DAYS] | revoke LINK]: who reaches this conversation.')
    const said = await shareConversation(asked, { conversationId, nowMs: Date.now() }, client)
    await refresh()
    return said
  },
  async fork(_, { client, state, page }) {
    const { conversationId } = state.core.meta
    page.goTo((await client.request('conversation/fork', { conversationId })).conversationId)
    return null
  },
  async rewind(_, { state, page }) {
    if (!state.window.some(({ item }) => item.type === 'userMessage')) return note(nothingToGoBackTo)
    page.goBack(null)
    return null
  },
  async undo(_, { state, page }) {
    const point = undoPoint(state.window)
    if (point === null) return note(nothingToGoBackTo)
    page.goBack(point)
    return null
  },
  async new(_, { client, state, page }) {
    page.goTo((await client.request('conversation/create', samePlace(state.core))).conversationId)
    return null
  },
}

/** Runs a slash command. Resolves to its words for the user; null without words. */
export async function runCommand(command: ParsedCommand, context: CommandContext): Promise<Notice | null> {
  if (command.kind === 'unknown') {
    const { word, nearest } = command
    return note(`There is no command /${word}: ${nearest === null ? 'see /help' : `did you mean /${nearest}?`}`)
  }
  const run = commands[command.name]
  if (run !== undefined) return run(command.argument, context)
  return note(`/${command.name} is a command of the terminal. /help lists those of this page.`)
}

/** Runs a command of the user's own, unless it needs a terminal. Resolves to why it was not run; null after its start. */
export async function runShellLine(command: string, { client, state }: CommandContext): Promise<Notice | null> {
  if (needsTerminal(command)) return note('This takes over a terminal, which a page is not. Run it in yours.')
  await client.request('conversation/runShell', { conversationId: state.core.meta.conversationId, command })
  return null
}

export interface CommandChoice {
  readonly label: string
  readonly about: string
  /** Text of the message with it. */
  readonly text: string
}

/** Returns what can complete a command that is being written. */
export function commandChoices(text: string): readonly CommandChoice[] {
  const named = completionsFor(text).filter(({ name }) => commands[name] !== undefined)
  if (named.length > 0)
    return named.map(({ name, argument, about }) => ({
      label: argument === '' ? `/${name}` : `/${name} ${argument}`,
      about,
      text: argument === '' ? `/${name}` : `/${name} `,
    }))
  const start = text.lastIndexOf(' ') + 1
  return argumentsFor(text).map(({ key, detail }) => ({ label: key, about: detail, text: text.slice(0, start) + key }))
}

/** Sends a message of the user, which a running turn does not get. */
async function sendText(
  { client, state }: CommandContext,
  text: string,
  more: { readonly purpose?: 'review' } = {},
): Promise<null> {
  const { conversationId } = state.core.meta
  const input = [{ type: 'text' as const, text }]
  await client.request('conversation/sendMessage', { conversationId, input, when: 'queue', ...more })
  return null
}

async function configure(
  { client, state, refresh }: CommandContext,
  settings: ParamsOf<'conversation/configure'>['settings'],
): Promise<null> {
  await client.request('conversation/configure', { conversationId: state.core.meta.conversationId, settings })
  await refresh()
  return null
}

/** Returns the folder to look for hooks in, on the machine of the conversation. */
function folderOf({ settings: { environment }, meta: { cwd } }: ConversationState['core']) {
  return environment === undefined ? { cwd } : { cwd, environment }
}

type HelpRow = readonly [string, string]

function helpRows(): readonly HelpRow[] {
  const own = slashCommands
    .filter(({ name }) => commands[name] !== undefined)
    .map(({ name, argument, about }): HelpRow => [`/${name}${argument === '' ? '' : ` ${argument}`}`, about])
  return [...own, ['!command', 'run a command yourself, outside the sandbox'], ['@file', 'name a file of the folder']]
}

async function modelRows({ client, state }: CommandContext): Promise<readonly HelpRow[]> {
  const { models, problems } = await client.request('model/list', {})
  const { model, modelProvider } = state.core.settings
  const rows = models.map(
    ({ provider, id }): HelpRow => [provider, id === model && provider === modelProvider ? `${id} (this one)` : id],
  )
  return [...rows, ...problems.map(({ provider, message }): HelpRow => [provider, message])]
}

function choices(title: string, argument: string, known: readonly SettingChoice[]): Notice {
  const rows = known.map(({ key, detail }): HelpRow => [key, detail])
  return table(argument === '' ? title : `${title} is one of these, not "${argument}"`, rows)
}

function table(title: string, rows: readonly HelpRow[]): Notice {
  return { kind: 'table', title, rows }
}

function note(text: string): Notice {
  return { kind: 'note', level: 'info', text }
}
