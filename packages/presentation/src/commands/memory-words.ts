interface MemoryChoice {
  readonly key: 'write' | 'other'
  readonly text: string
  readonly detail: string
}

/** Returns what can become of a line that is shown as it would be written. */
export function memoryChoices({ path, where }: Pick<ShownMemory, 'path' | 'where'>): readonly MemoryChoice[] {
  return [
    { key: 'write', text: 'write it', detail: path },
    where === 'project'
      ? { key: 'other', text: 'look at your own file', detail: 'which counts in all projects' }
      : { key: 'other', text: "look at the project's file", detail: 'which counts for all who work on it' },
  ]
}

/** Returns the message that has the model draft an AGENTS.md, with what matters to the user. */
export function draftRequest(what: string): string {
  return [
    'Write an AGENTS.md for this project: what an agent has to know to work on it that it would not guess.',
    'Look first: README, manifests and lock files, scripts, the configuration of tests, formatters and CI, the folders; and an AGENTS.md, CLAUDE.md or other rules for agents that are there, of which you keep what holds.',
    'Say how to build, run, check and test (one file, too), where things are, which conventions the code follows, and what must not be done. Only what you found, no general advice; commands exactly as they work here; at most 60 lines.',
    'Put it at the root of the repository by your tool for changing files. If there is one already, change what is missing or wrong and leave the rest.',
    ...(what === '' ? [] : [`What matters to me: ${what}`]),
  ].join('\n')
}

/** Line to remember and its place, as they were shown; a yes refers to `hash`. */
export interface ShownMemory {
  readonly text: string
  readonly where: MemoryPlace
  readonly path: string
  readonly hash: string
}

/** Instruction file of the project, or the user's own. */
export type MemoryPlace = 'project' | 'user'
