import { setsKnownKey } from '@parley/protocol/config-keys'
import { beforeDashes, valuesOf } from '../cli/early-arguments.ts'
import { misused } from '../cli/exit-codes.ts'

interface FlagsWithoutEffect {
  readonly color?: string
  readonly enable?: readonly string[]
  readonly disable?: readonly string[]
}

/** Returns a warning for each flag of `codex exec` that asks for something that is not here. */
export function withoutEffectWarnings({ color, enable = [], disable = [] }: FlagsWithoutEffect): readonly string[] {
  return [
    ...(color === 'always' ? ['--color always has no effect: exec writes no colours.'] : []),
    ...enable.map((feature) => `--enable ${feature} has no effect: features of Codex cannot be chosen here.`),
    ...disable.map((feature) => `--disable ${feature} has no effect: features of Codex cannot be chosen here.`),
  ]
}

/** Flags of Codex and Claude Code that are not here, and a sentence that says the way to the same end. */
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

/** Returns a blank and the sentence about an option that Commander calls unknown; an empty text for other errors and options. */
export function elsewhereHint(message: string): string {
  const [, flag = ''] = /^unknown option '(--?[\w-]+)/.exec(message) ?? []
  return Object.hasOwn(elsewhere, flag) ? ` ${elsewhere[flag]}` : ''
}

/**
 * Throws a usage error for a `-c WORD` that is no `KEY=VALUE` with a known key: in Claude Code `-c` goes on with the newest
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
