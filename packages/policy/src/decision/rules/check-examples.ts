import { splitShellWords } from '@parley/text'
import { matchesMcpPattern } from './mcp-pattern.ts'
import { matchesPathPattern } from './path-pattern.ts'
import { fitsCommand, type RuleTarget } from './rules.ts'

/** Example in a policy file: a shell line or an argv for `command`; a path, `SERVER/TOOL` or name for the other rules. */
type RuleExample = string | readonly string[]

/** Examples of a rule, as its author expects them to be judged. */
export interface RuleExamples {
  readonly match?: readonly RuleExample[]
  readonly not_match?: readonly RuleExample[]
}

/** Returns a problem for each example that the rule judges in another way than its author expects, with its key and index. */
export function exampleProblems(
  target: RuleTarget,
  { match = [], not_match: notMatch = [] }: RuleExamples,
): { readonly at: readonly [key: keyof RuleExamples, index: number]; readonly message: string }[] {
  const shown = (example: RuleExample) => (typeof example === 'string' ? example : example.join(' '))
  const problem = (key: keyof RuleExamples, message: string) => (example: RuleExample, index: number) =>
    fitsExample(target, example) === (key === 'match')
      ? []
      : [{ at: [key, index] as const, message: `"${shown(example)}" ${message}` }]
  return [
    ...match.flatMap(problem('match', 'is not covered by this rule')),
    ...notMatch.flatMap(problem('not_match', 'is covered by this rule')),
  ]
}

function fitsExample(target: RuleTarget, example: RuleExample): boolean {
  if (target.kind === 'command')
    return fitsCommand(target, typeof example === 'string' ? splitShellWords(example) : example)
  const text = typeof example === 'string' ? example : example.join(' ')
  if (target.kind === 'tool') return target.tool === text
  if (target.kind === 'path') return matchesPathPattern(target.pattern, text.startsWith('/') ? text : `/${text}`, '/')
  const [server = '', ...name] = text.split('/')
  return matchesMcpPattern(target.pattern, { server, name: name.join('/') })
}
