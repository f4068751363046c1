import { elsewhereHint } from './flags-of-others.ts'

/** Returns Commander's message about a wrong command line as a line of this program. */
export function sayUsageError(text: string, command: string): string {
  return `parley: ${usageSentence(text, command)}\n`
}

/** Returns it as a sentence that names the help of the command, as `parley list`. */
export function usageSentence(text: string, command: string): string {
  const [first = '', ...rest] = withoutKey(text.trim().replace(/^error: /, '')).split('\n')
  const hint = rest.join(' ').trim()
  const unquoted = unquotedPrompt.test(first) ? ' A prompt of several words needs quotes.' : ''
  return `${first.replace(/\.$/, '')}.${hint === '' ? '' : ` ${hint}`}${unquoted}${elsewhereHint(first)} See ${command} --help.`
}

/** Returns the sentence without extra arguments of `login` and values of unknown options: one may be a key, and errors get into logs. */
function withoutKey(text: string): string {
  return text
    .replace(
      /^(too many arguments for 'log(?:in|out)'\. Expected \d+ arguments? but got \d+):.*$/s,
      '$1. A key is typed unseen or read from stdin, never an argument.',
    )
    .replace(/^(unknown option '--?[^'=]*)=[^\n]*'/, "$1'")
}

/** Matches extra arguments of `exec`, and of `exec resume` and `exec fork` after the id; other commands take no prompt. */
const unquotedPrompt = /^too many arguments for ('exec'|'(?:resume|fork)'\. Expected 2 )/
