import { baseName } from '../../rules/path-pattern.ts'
import { fitsCommand, type Rule, type Rules, type RuleTarget, type WiderRight } from '../../rules/rules.ts'
import { type CommandFacts, type CommandPart, type CommandWords, isInstalled, type SeenCommand } from './facts.ts'

/** Returns the first of the rules that together allow every part that is not known to be safe. */
export function allowForCommand(facts: CommandFacts, allowing: Rules): Rule | null {
  if (!facts.understood) return null
  const questioned = facts.parts.filter((part) => !part.knownSafe)
  const matches = questioned.map((part) => allowing.find((rule) => allowsPart(rule, part)))
  const [first] = matches
  return first === undefined || matches.includes(undefined) ? null : first
}

/** Takes a bare name for the installed program, so a file of the workspace with the same name does not fit. */
function allowsPart({ target }: Rule, part: CommandPart): boolean {
  if (target.kind !== 'command' || !fitsCommand(target, part.argv)) return false
  return part.program.includes('/') || !part.programInsideRoots
}

/**
 * Returns the rule that gives a command a right beyond the sandbox, if it stands alone, ends with its call and is an
 * installed program. Null for any other.
 */
export function widerForCommand(facts: CommandFacts, allowing: Rules, right: WiderRight): Rule | null {
  const [part, ...others] = facts.parts
  if (!facts.understood || facts.background || part === undefined || others.length > 0) return null
  if (!isInstalled(part)) return null
  // Below its own folder a conversation's commands could make a repository with hooks.
  if (right === 'outsideSandbox' && facts.cwd !== facts.workspace) return null
  const gives = ({ target }: Rule) =>
    target.kind === 'command' && target.grants?.includes(right) === true && fitsCommand(target, part.argv)
  return allowing.find(gives) ?? null
}

/**
 * Matches strict rules with every command seen, by its path and by its bare name. Collects the commands once for all
 * rules, since a long script has hundreds of them.
 */
export function strictCommandMatcher({ argv, parts, seen }: CommandWords): (target: RuleTarget) => boolean {
  const written: readonly SeenCommand[] = [argv, ...parts.map((part) => part.argv), ...seen]
  const bare = written.map(([program, ...rest]) => [baseName(program ?? ''), ...rest])
  const commands = [...written, ...bare]
  return (target) => target.kind === 'command' && commands.some((argv) => fitsCommand(target, argv))
}

/**
 * Returns whether a yes for the session may cover the command. False for a dangerous command, and for a request to
 * leave the sandbox or for the network: a script that it starts may have changed, and nothing would limit the new
 * script.
 */
export function mayBeRepeated({ dangerous, escalation, network }: CommandFacts): boolean {
  return dangerous === null && escalation === null && network === undefined
}
