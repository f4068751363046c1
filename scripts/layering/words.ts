import type { Source } from './sources.ts'

/** Words that were replaced (see the glossary in AGENTS.md), as they would stand in names and texts. */
const retired: readonly (readonly [pattern: RegExp, use: string])[] = [
  [/\bitem\.began\b/, 'execution.started'],
  [/\bitem\.attempted\b/, 'execution.failed'],
  [/\b(Bench|TurnBench)\b/, 'TurnContext'],
  [/\b(Desk|Stage|Errand)\b/, 'ConversationController, ScreenController, ToolCallTurn'],
  [/\b[a-z]*[wW]ish(es)?\b/, 'SandboxPolicy'],
  [/\b(Roster|createRoster)\b/, 'ConnectedClients'],
  [/\btellOf[A-Z]\w*/, 'a notice'],
  [/\bworkOut\b/, 'plan'],
  [/\b(SandboxTier|sandboxTier)\b/, 'Enforcement'],
  [/\btier [ABCD]\b/, 'enforcement full, partial, none'],
]

const retiredFiles =
  /(^|\/)(bench|desk|stage|errand|roster|presence|manners|opener|faces|vocabulary|settle|rest-watch|take-content|spoken-parts|tell-of-[a-z-]+)(\.tsx?|\/)/

/** Sources that name the types of earlier log versions. */
const olderVersions = /\/upgrade-event(\.test)?\.ts$/

export function retiredWordViolations({ path, text }: Source): string[] {
  if (olderVersions.test(path)) return []
  const named = retiredFiles.exec(path)
  const found = retired.flatMap(([pattern, use]) => {
    const word = pattern.exec(text)?.[0]
    return word === undefined ? [] : [`${path}: "${word}" is retired, use ${use}`]
  })
  return [...(named === null ? [] : [`${path}: "${named[2]}" is retired as a name`]), ...found]
}

export function errorNameViolations({ path, text, isTest }: Source): string[] {
  if (isTest) return []
  return [...text.matchAll(/\bclass (\w+) extends \w*Error\b/g)]
    .filter(([, name]) => !name?.endsWith('Error'))
    .map(([, name]) => `${path}: error class ${name} does not end in Error`)
}
