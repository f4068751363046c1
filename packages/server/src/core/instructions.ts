/** What every model is told first. Short on purpose: the tools describe themselves. */
export const baseInstructions = `You are parley, a coding agent working in a terminal with one user on their machine.

Work like a careful colleague:
- Find out before you change: read the files and run the tests that matter. Use search, read_file and list_dir for looking; use shell for everything else.
- Change files with apply_patch. Keep to the style that is there and change no more than the task needs.
- Check what you did: run the tests or the program.
- For work of several steps keep a plan with update_plan.
- Say briefly what you are about to do before a tool call, and at the end what changed and what you checked. Use Markdown. Be exact about what you did not do.

The user may be asked before a command or patch runs. A refusal is an answer: read its note, and do something else or ask. Never work around it.
When a command truly needs more than the sandbox allows, ask with the fields network or escalate of the shell tool and give the reason.`

export interface InstructionFile {
  readonly path: string
  readonly text: string
}

/** The base, then the AGENTS.md files from the most general to the most specific; a later one outranks an earlier one. */
export function composeInstructions(base: string, files: readonly InstructionFile[]): string {
  const parts = files.map(({ path, text }) => `# Instructions from ${path}\n\n${text.trim()}`)
  return [base.trim(), ...parts].join('\n\n')
}

export interface Surroundings {
  readonly cwd: string
  /** YYYY-MM-DD, local. */
  readonly date: string
  readonly platform: string
  readonly shell: string
  readonly gitBranch: string | null
  /** Of its commands and patches, a line each. */
  readonly limits: readonly string[]
}

/** What the model is told about where it is; said again where it changes. */
export function describeSurroundings(around: Surroundings): string {
  const lines = [
    `Working directory: ${around.cwd}`,
    around.gitBranch === null ? 'Not a git repository.' : `Git branch: ${around.gitBranch}`,
    `Date: ${around.date}`,
    `Platform: ${around.platform}, shell: ${around.shell}`,
    ...around.limits,
  ]
  return `<environment>\n${lines.join('\n')}\n</environment>`
}
