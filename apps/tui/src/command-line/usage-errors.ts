import { setsKnownKey } from '@parley/protocol/config-keys'
import { beforeDashes, valuesOf } from '../cli/early-arguments.ts'
import { misused } from '../cli/exit-codes.ts'

/** Returns Commander's message about a wrong command line as a line of this program. */
export function sayUsageError(text: string, command: string): string {
  return `parley: ${usageSentence(text, command)}\n`
}

/** Returns Commander's message as a sentence that names the help of the command, such as `parley list`. */
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

interface FlagsWithoutEffect {
  readonly color?: string
  readonly enable?: readonly string[]
  readonly disable?: readonly string[]
}

/** Returns a warning for each flag of `codex exec` without a counterpart here. */
export function withoutEffectWarnings({ color, enable = [], disable = [] }: FlagsWithoutEffect): readonly string[] {
  return [
    ...(color === 'always' ? ['--color always has no effect: exec writes no colours.'] : []),
    ...enable.map((feature) => `--enable ${feature} has no effect: features of Codex cannot be chosen here.`),
    ...disable.map((feature) => `--disable ${feature} has no effect: features of Codex cannot be chosen here.`),
  ]
}

/** Flags of Codex and Claude Code that are missing here, with a sentence about the alternative. */
const elsewhere: Readonly<Record<string, string>> = {
  '--allowedTools': 'Rules decide what runs unasked: --policy FILE, see docs/policy.md.',
  '--append-system-prompt': 'Instructions stand in AGENTS.md, or in the prompt.',
  '--dangerously-skip-permissions': 'Write -s danger-full-access -a never.',
  '--disallowedTools': 'Rules decide what is denied: --policy FILE, see docs/policy.md.',
  '--fork-session': 'Write parley fork ID, or parley exec fork ID "…".',
  '--ignore-rules': 'Rules are in policy.toml of your $PARLEY_HOME; another $PARLEY_HOME has none.',
  '--ignore-user-config': 'Write --safe, which leaves out all but what reaches a model and what limits.',
  '--mcp-config': 'Tool servers stand in [mcp_servers.NAME] of config.toml, see docs/mcp-servers.md.',
  '--output-format': 'It is an option of parley exec and of --print: parley exec --output-format json "…".',
  '--permission-mode': 'Write --mode ask, edit or plan, see docs/modes.md.',
  '--search': 'There is no search by the provider; a tool server can search.',
  '--session-id': 'Ids are given by parley; parley exec resume ID goes on.',
  '--strict-config': 'Keys that are not known are warned about at each start.',
  '--system-prompt': 'Instructions stand in AGENTS.md, or in the prompt.',
  '--verbose': 'Write --json to see each event.',
  '-r': 'Write --resume ID.',
}

/** Returns a blank and the sentence about an unknown option; an empty text for other errors and options. */
function elsewhereHint(message: string): string {
  const [, flag = ''] = /^unknown option '(--?[\w-]+)/.exec(message) ?? []
  return Object.hasOwn(elsewhere, flag) ? ` ${elsewhere[flag]}` : ''
}

/**
 * Throws a usage error for `-c WORD` without `=` or with an unknown key: in Claude Code `-c` continues the newest
 * conversation, and a user may have meant either. `--config` takes any key.
 */
export function refuseUnclearConfig(argv: readonly string[]): void {
  for (const given of valuesOf(beforeDashes(argv), '-c')) {
    if (setsKnownKey(given)) continue
    const [, key] = /^([\w.-]{1,60})=/.exec(given) ?? []
    const unknown = key === undefined ? '' : ` ("${key}" is none)`
    throw misused(
      `-c takes KEY=VALUE with a key of config.toml${unknown}. To set one write -c KEY=VALUE; to go on with the newest conversation write --continue.`,
    )
  }
}
