import { getSystemErrorMessage } from 'node:util'
import { ClientError, type Parley } from '@parley/client'
import { enforcementReasonOf, notKnownHarmless } from '@parley/presentation/limits/limits-words'
import { showEffects } from '@parley/presentation/text/control-characters'
import type { ConversationSummary, Failure, ResultOf } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import type { Command } from 'commander'
import { misused, type ParleyError } from './exit-codes.ts'

/**
 * Returns a server's error with the flag that helps, which the server cannot know. Shows control characters by number:
 * the text may quote other programs.
 */
export function explainRejection({ message, data }: Pick<RpcError, 'message' | 'data'>): string {
  const text = showEffects(message)
  return data?.code === 'cwdMissing' ? `${text} Choose another with --cd.` : text
}

/** Returns the failure that an error of the server or the connection stands for; null for any other error. */
export function expectedFailure(error: unknown): Failure | null {
  if (error instanceof RpcError) return { code: error.data?.code ?? 'internal', message: explainRejection(error) }
  if (!(error instanceof ClientError)) return null
  const { code } = error.data
  return { code: code === 'connectionClosed' ? 'serverFailed' : code, message: error.message }
}

export const execHelp = `
Examples:
  parley exec "explain what src/cart.js does"
  git diff | parley exec --stdin "explain this change"
  parley exec review --base main
  parley exec -i screen.png "what is wrong here?"
  parley exec --output-schema answer.json "which tests fail?"
  parley exec --json --policy .parley/ci.toml --timeout 10m "fix the failing test"
  parley exec --check "npm test" --check "npm run lint" "make the cart round prices"
  parley exec resume --last "now update the changelog"
  parley exec fork 0a1b2c3d "try it another way"
  parley exec --json --input-format jsonl <messages-and-answers

Exit codes: 0 answered, 1 failed, 2 usage, 3 no credentials, 4 approval unanswered,
5 not found, 6 answer does not satisfy the schema, 7 a limit was reached, 8 provider unreachable,
9 storage, 13 a check does not pass, 70 a bug, 130/143 signal.
`

export const reviewHelp = `
Examples:
  parley exec review
  parley exec review --base main "security above all"
  parley exec review --commit v1.2..HEAD --fail-on medium
  git diff | parley exec review --patch - --sarif >review.sarif

Exit codes: those of exec, and 10 when something of that severity was found.
`

/** Notice about the configuration that `--safe` leaves out. */
export const safeNotice =
  '--safe: no configuration but what reaches a model and what limits; no plug-ins, hooks or servers.'

/** Resolves to a sentence about a sandbox that does not enforce all limits, with the reason; null otherwise. */
export async function sandboxNotice(
  connection: Pick<Parley, 'request'>,
  { settings, conversationId, readOnly }: Pick<ConversationSummary, 'settings' | 'conversationId' | 'readOnly'>,
): Promise<string | null> {
  const { enforcement, sandbox, approvalPolicy } = settings
  if (readOnly || sandbox === 'danger-full-access' || enforcement === 'full') return null
  const reason = enforcementReasonOf(conversationId, await connection.request('server/diagnostics', {}))
  return `${enforced[enforcement]}: ${notKnownHarmless(approvalPolicy)}. ${reason}`
}

const enforced = { partial: 'The sandbox is only partial here', none: 'There is no sandbox here' } as const

/** Returns why the system refused a file or folder, without the name of the failed function. */
export function systemCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'errno' in error && typeof error.errno === 'number' ? getSystemErrorMessage(error.errno) : error.message
}

/** Throws a usage error for a word with one typing slip from a command, and for unquoted prompts. */
export function refuseSlips({ args, commands }: Command): void {
  const [first = '', ...more] = args
  const meant = likelyCommand(first, namesOf(commands))
  if (meant !== null) throw misused(`There is no command "${first}". Did you mean \`parley ${meant}\`?${unless(more)}`)
  if (more.length > 0) throw misused('A prompt of several words needs quotes: parley "…"')
}

export function unknownCommand(word: string, { commands }: Pick<Command, 'commands'>): ParleyError {
  const meant = likelyCommand(word, namesOf(commands))
  const hint = meant === null ? '`parley help` lists them.' : `Did you mean \`${meant}\`?`
  return misused(`There is no command "${word}". ${hint}`)
}

function namesOf(commands: Command['commands']): readonly string[] {
  return commands.map((command) => command.name())
}

function unless(more: readonly string[]): string {
  return more.length > 0 ? '' : ' A message needs more than one word.'
}

/** Returns the command that differs by one letter (extra, missing, wrong) or one swap of neighbours. */
export function likelyCommand(word: string, names: readonly string[]): string | null {
  return names.find((name) => isOneSlip(word, name)) ?? null
}

function isOneSlip(word: string, name: string): boolean {
  if (word === name) return false
  const start = commonLength([...word], [...name])
  const [left, right] = [word.slice(start), name.slice(start)]
  const swapped = `${left.charAt(1)}${left.charAt(0)}${left.slice(2)}`
  const [leftRest, rightRest] = [left.slice(1), right.slice(1)]
  return left === rightRest || leftRest === right || leftRest === rightRest || swapped === right
}

function commonLength(left: readonly string[], right: readonly string[]): number {
  const differs = left.findIndex((letter, at) => letter !== right[at])
  return differs < 0 ? left.length : differs
}

/** Returns words for the end of a login to an MCP server, here and at its issuer. */
export function mcpLoggedOutText(name: string, { revocation, revocationError = '' }: ResultOf<'mcp/logout'>): string {
  return `The login to ${name} is forgotten here${revocationText(revocation, revocationError)}`
}

/** Returns words for the end of a kept key or login, here and at its issuer. */
export function loggedOutText(
  provider: string,
  { removed, variable, revocation, revocationError = '' }: ResultOf<'logout'>,
): string {
  const more = variable === null ? '' : ` ${variable} is set and goes on to be used.`
  if (!removed) return `No key of ${provider} is kept.${more}`
  const here = `The ${revocation === undefined ? 'key of' : 'login to'} ${provider} is forgotten here`
  return `${here}${revocationText(revocation, revocationError)}${more}`
}

function revocationText(revocation: ResultOf<'logout'>['revocation'], error: string): string {
  if (revocation === undefined) return '. To end its use elsewhere, revoke it at the provider.'
  if (revocation === 'done') return ', and its tokens are revoked.'
  return revocation === 'unsupported'
    ? '. The issuer has no way to revoke its tokens: they are good until they end.'
    : `. Its tokens were not revoked and are good until they end: ${error}`
}

/** Returns the error of a command about users without a users file. */
export function noUsersFile(): ParleyError {
  return misused('Name the file of the users: --users FILE, or users_file = "/…" in config.toml.')
}

/** Returns a time by the minute: `2026-11-24 06:17 UTC`. */
export function formatTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
