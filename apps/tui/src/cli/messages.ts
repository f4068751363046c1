import type { RpcError } from '@parley/rpc'
import { stripEffects } from '../view/text/control-characters.ts'

/**
 * Returns a server's error with the flag that helps, which the server cannot name. Removes control sequences: the text may
 * quote other programs.
 */
export function explainRejection({ message, data }: Pick<RpcError, 'message' | 'data'>): string {
  const text = stripEffects(message)
  return data?.code === 'cwdMissing' ? `${text} Choose another with --cd.` : text
}

/** Returns Commander's message about a wrong command line as a line of this program. */
export function sayUsageError(text: string): string {
  return `parley: ${usageSentence(text)}\n`
}

export function usageSentence(text: string): string {
  const [first = '', ...rest] = text
    .trim()
    .replace(/^error: /, '')
    .split('\n')
  const hint = rest.join(' ').trim()
  const unquoted = unquotedPrompt.test(first) ? ' A prompt of several words needs quotes.' : ''
  return `${first.replace(/\.$/, '')}.${hint === '' ? '' : ` ${hint}`}${unquoted} See parley --help.`
}

/** Matches extra arguments of `exec`, and of `exec resume` after its id; other commands take no prompt. */
const unquotedPrompt = /^too many arguments for ('exec'|'resume'\. Expected 2 )/

export const execHelp = `
Examples:
  parley exec "explain what src/cart.js does"
  git diff | parley exec --stdin "review this change"
  parley exec -i screen.png "what is wrong here?"
  parley exec --output-schema answer.json "which tests fail?"
  parley exec --json --policy .parley/ci.toml --timeout 10m "fix the failing test"
  parley exec resume --last "now update the changelog"

Exit codes: 0 answered, 1 failed, 2 usage, 3 no credentials, 4 approval unanswered,
5 not found, 6 answer does not satisfy the schema, 7 out of time, 8 provider unreachable,
9 storage, 70 a bug, 130/143 signal.
`
