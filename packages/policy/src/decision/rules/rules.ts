import type { RuleRef } from '@parley/protocol'

export type RuleVerdict = 'allow' | 'ask' | 'deny'

/** Rights beyond the sandbox, by the key of a rule that gives them. Only a rule with the key gives the right. */
export const widerRights = { network: 'network', outside_sandbox: 'outsideSandbox' } as const
export const widerKeys = ['network', 'outside_sandbox'] as const satisfies readonly (keyof typeof widerRights)[]

export type WiderRight = (typeof widerRights)[keyof typeof widerRights]

export type RuleTarget =
  /**
   * Prefix of argv; each element lists the words that fit there. With `exact` no more words may follow. `grants` are
   * rights beyond the sandbox; only rules of the user's own policy file have them.
   */
  | {
      readonly kind: 'command'
      readonly prefix: readonly (readonly string[])[]
      readonly exact?: true
      readonly grants?: readonly WiderRight[]
    }
  | { readonly kind: 'tool'; readonly tool: string }
  /** Pattern of `*`, `**` and `?`, relative to the conversation's cwd unless it starts with `/`. */
  | { readonly kind: 'path'; readonly pattern: string }
  /** Pattern `server/tool`, either part with `*` for any characters. */
  | { readonly kind: 'mcp'; readonly pattern: string }

export interface Rule {
  readonly decision: RuleVerdict
  readonly target: RuleTarget
  /** Reason shown with the decision. */
  readonly reason?: string
  readonly source: { readonly file: string; readonly line?: number }
}

export type Rules = readonly Rule[]

/** Returns the rules that deny or ask. */
export function withoutAllowing(rules: Rules): Rules {
  return rules.filter(({ decision }) => decision !== 'allow')
}

/** Names a rule for people: its target, and the file and line it comes from. */
export function ruleRefOf({ target, source }: Rule): RuleRef {
  return { name: `rule:${targetText(target)}`, ...source }
}

/** Returns the rules that give rights beyond the sandbox, described for people. */
export function widerRules(rules: Rules): readonly (Rule['source'] & { readonly text: string })[] {
  const wider = rules.filter(({ target }) => target.kind === 'command' && target.grants !== undefined)
  return wider.map(({ target, source }) => ({ ...source, text: targetText(target).replace(/^command /, '') }))
}

function targetText(target: RuleTarget): string {
  switch (target.kind) {
    case 'command':
      return `command ${target.prefix.map((words) => words.join('|')).join(' ')}${target.exact === true ? ' (exactly)' : ''}${grantsText(target)}`
    case 'tool':
      return `tool ${target.tool}`
    case 'path':
      return `path ${target.pattern}`
    case 'mcp':
      return `mcp ${target.pattern}`
  }
}

const grantTexts: Readonly<Record<WiderRight, string>> = {
  network: 'with network',
  outsideSandbox: 'outside the sandbox',
}

function grantsText({ grants = [] }: CommandTarget): string {
  return grants.length === 0 ? '' : ` (${grants.map((right) => grantTexts[right]).join(', ')})`
}

const anyGrant = `(?:${Object.values(grantTexts).join('|')})`
const commandText = new RegExp(`^(.*?)( \\(exactly\\))?(?: \\((${anyGrant}(?:, ${anyGrant})*)\\))?$`, 's')

/**
 * Reads a target from a rule's name in the form of `ruleRefOf`; null for any other text. Words with blanks are split.
 */
export function ruleTargetOf(name: string): RuleTarget | null {
  const [, kind, rest = ''] = /^rule:(command|tool|path|mcp) (.*)$/s.exec(name) ?? []
  if (kind === 'tool') return { kind, tool: rest }
  if (kind === 'path' || kind === 'mcp') return { kind, pattern: rest }
  if (kind !== 'command') return null
  const [, words = '', exact, given = ''] = commandText.exec(rest) ?? []
  const texts = given.split(', ')
  const grants = widerKeys.map((key) => widerRights[key]).filter((right) => texts.includes(grantTexts[right]))
  return {
    kind,
    prefix: words.split(' ').map((word) => word.split('|')),
    ...(exact === undefined ? {} : { exact: true }),
    ...(grants.length === 0 ? {} : { grants }),
  }
}

type CommandTarget = Extract<RuleTarget, { kind: 'command' }>

/** Returns whether `argv` begins with the words of the rule; an unknown word (null) fits nothing. */
export function fitsCommand({ prefix, exact }: CommandTarget, argv: readonly (string | null)[]): boolean {
  if (exact === true && argv.length !== prefix.length) return false
  return prefix.every((words, index) => {
    const word = argv[index] ?? null
    return word !== null && words.includes(word)
  })
}

/** Quotes a word of a command for people, unless it is plain. */
export function quotedWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)
}
