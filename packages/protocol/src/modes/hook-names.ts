/** Moments at which hooks run. Moments that other agents have too keep their names. */
export const hookEvents = [
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PermissionRequest',
  'PermissionDecision',
  'PreCompact',
  'Stop',
  'Notification',
] as const

export type HookEvent = (typeof hookEvents)[number]

/** Events that compare a hook's `matcher` with the name of a tool. */
const ofTools: readonly HookEvent[] = ['PreToolUse', 'PostToolUse', 'PermissionRequest', 'PermissionDecision']

/** Names of the same tools in other agents, so that a matcher written for another agent works here. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  shell: ['Bash'],
  apply_patch: ['Edit', 'Write', 'MultiEdit'],
  edit_file: ['Edit', 'MultiEdit'],
  write_file: ['Write'],
  read_file: ['Read'],
  list_dir: ['LS', 'Glob'],
  search: ['Grep'],
  update_plan: ['TodoWrite'],
  ask_user: ['AskUserQuestion'],
}

/**
 * Tells if a hook with this matcher runs for a subject: a tool, or the kind of a start, compaction or notification.
 * Without a matcher it runs for all. Throws `SyntaxError` for a matcher that is no regular expression.
 */
export function hookMatches(matcher: string | undefined, on: HookEvent, subject: string): boolean {
  if (matcher === undefined || matcher === '' || matcher === '*') return true
  const pattern = new RegExp(`^(?:${matcher})$`, 'u')
  const names = ofTools.includes(on) ? [subject, ...(otherNames[subject] ?? [])] : [subject]
  return names.some((name) => pattern.test(name))
}
