import type { RpcError } from '@parley/rpc'
import { stripEffects } from '../view/text/control-characters.ts'

/**
 * A server's rejection, with the flag that mends it: the server speaks to every client, and names none. It may quote what
 * others wrote, such as another machine's exec-server.
 */
export function explainRejection({ message, data }: Pick<RpcError, 'message' | 'data'>): string {
  const text = stripEffects(message)
  return data?.code === 'cwdMissing' ? `${text} Choose another with --cd.` : text
}

/** What commander says of a wrong command line, as a line of ours. */
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

/** Of `exec`, or of `exec resume` after its id; no other command takes a prompt. */
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
