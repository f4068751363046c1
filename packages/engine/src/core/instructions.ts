import type { ModelAbilities } from '@parley/models'
import { allHaveNetwork } from '@parley/policy'
import { modeOf, type Settings, type TurnPurpose } from '@parley/protocol'

/** Tools that change files, by the shape of tools that a model is offered. */
const changingTools: Readonly<Record<ModelAbilities['toolShape'], string>> = {
  freeformPatch: 'apply_patch',
  edit: 'edit_file, new ones with write_file',
}

/**
 * Returns the base instructions of a model, by the tools it is offered; without a shape the instructions for any model.
 * Short on purpose: the tools describe themselves.
 */
export function baseInstructions(toolShape?: ModelAbilities['toolShape']): string {
  const tools = toolShape === undefined ? 'the tool for that, not with shell' : changingTools[toolShape]
  return `You are parley, a coding agent working in a terminal with one user on their machine.

Work like a careful colleague:
- Find out before you change: read the files and run the tests that matter. Use search, read_file and list_dir for looking; use shell for everything else.
- Change files with ${tools}. Keep to the style that is there and change no more than the task needs.
- Check what you did: run the tests or the program.
- For work of several steps keep a plan with update_plan.
- Say briefly what you are about to do before a tool call, and at the end what changed and what you checked. Use Markdown. Be exact about what you did not do.

The user may be asked before a command or patch runs. A refusal is an answer: read its note, and do something else or ask. Never work around it.
When a command truly needs more than the sandbox allows, ask with the fields network or escalate of the shell tool and give the reason.`
}

export interface InstructionFile {
  readonly path: string
  readonly text: string
}

/** Joins the base with the AGENTS.md files from general to specific; a later one outranks an earlier one. */
export function composeInstructions(base: string, files: readonly InstructionFile[]): string {
  const sections = files.map(({ path, text }) => `# Instructions from ${path}\n\n${text.trim()}`)
  return [base.trim(), ...sections].join('\n\n')
}

interface SessionContext {
  readonly cwd: string
  /** Local date, YYYY-MM-DD. */
  readonly date: string
  readonly platform: string
  readonly shell: string
  readonly gitBranch: string | null
  /** Limits of commands and patches, a line each. */
  readonly limits: readonly string[]
}

/** Describes the session to the model; repeated in a conversation where it changes. */
export function describeSessionContext(session: SessionContext): string {
  const lines = [
    `Working directory: ${session.cwd}`,
    session.gitBranch === null ? 'Not a git repository.' : `Git branch: ${session.gitBranch}`,
    `Date: ${session.date}`,
    `Platform: ${session.platform}, shell: ${session.shell}`,
    ...session.limits,
  ]
  return `<environment>\n${lines.join('\n')}\n</environment>`
}

/** Describes the limits in force and how to ask for more, a line each. */
export function describeLimits(settings: Settings, purpose?: TurnPurpose): readonly string[] {
  const { sandbox, enforcement, approvalPolicy, writableRoots } = settings
  return [
    `Sandbox: ${sandboxText(settings)}; approval policy: ${approvalPolicy}`,
    ...(writableRoots.length > 0 ? [`Also writable: ${writableRoots.join(', ')}`] : []),
    ...(enforcement === 'none' || sandbox === 'danger-full-access' ? [] : inside(settings)),
    ...(purpose === 'review' ? reviewing : modeOf(settings) === 'plan' ? planning : []),
  ]
}

/**
 * Tells the model of plan mode. Read-only limits are also chosen for mere questions, so questions are answered as ever.
 */
const planning = [
  'Mode: plan, as long as the newest environment block says so. Answer questions as usual. Where the user asks for work, do not begin it: make a plan.',
  'Find out what the plan needs by reading, and by commands that change nothing. Change no files, and do not ask for more rights in order to change them.',
  'Hand the plan over by propose_plan: a title; the steps in order, each with the files that it touches and how it is checked; the risks, and what you could not find out. The user reads all of it there, so do not repeat it. The answer says if plan mode is over and the work begins.',
]

/** Tells the model of a review, which a turn of an ordinary conversation may be. */
const reviewing = [
  'Turn: a review, as long as the newest environment block says so. Find faults by reading, and by commands that change nothing; change no files, and do not ask for more rights.',
]

function sandboxText({ sandbox, enforcement, approvalPolicy }: Settings): string {
  const otherwise = `so what is not known to be harmless is ${approvalPolicy === 'never' ? 'denied' : 'asked first'}`
  if (sandbox === 'danger-full-access') return 'off (the user chose full access)'
  switch (enforcement) {
    case 'full':
      return sandbox
    case 'partial':
      return `${sandbox} (enforced in part, ${otherwise})`
    case 'none':
      return `${sandbox} (nothing enforces it here, ${otherwise})`
  }
}

function inside(settings: Settings): readonly string[] {
  const { sandbox: sandboxMode, enforcement, network = false } = settings
  const hasNetwork = allHaveNetwork({ sandboxMode, network })
  return [
    ...(sandboxMode === 'read-only' ? [`Commands may write in ${ownFolder} only.`] : writing(settings)),
    hasNetwork ? 'Commands have the network.' : noNetwork(enforcement),
    ...howToAsk(settings, hasNetwork),
  ]
}

const ownFolder =
  '$TMPDIR, which only commands see (read_file does not) and which lasts as long as the conversation is open'

function writing({ enforcement, approvalPolicy }: Settings): readonly string[] {
  return [
    `Commands may write in the working directory and in ${ownFolder}.`,
    `In the working directory .git, .parley, .vscode, .idea, .husky, .envrc and .mcp.json are read-only: what changes the repository (git add, commit, checkout, stash, …) ${pastReadOnly[approvalPolicy]}.`,
    ...(enforcement === 'partial'
      ? ['Commands cannot make, rename or remove anything directly in the working directory, only in its folders.']
      : []),
  ]
}

const pastReadOnly: Readonly<Record<Settings['approvalPolicy'], string>> = {
  untrusted: 'needs escalate: true with a reason, from the first try on',
  'on-request': 'needs escalate: true with a reason, from the first try on',
  'on-failure': 'fails at first, and the user is asked whether it may run again outside the sandbox',
  never: 'cannot run here, so leave it to the user',
}

function noNetwork(enforcement: Settings['enforcement']): string {
  return enforcement === 'partial'
    ? 'Commands have no network, not even between each other.'
    : 'Commands have no network. On localhost they reach servers that commands with the same limits have started in the background, unless the start of one says otherwise.'
}

function howToAsk({ approvalPolicy }: Settings, hasNetwork: boolean): readonly string[] {
  switch (approvalPolicy) {
    case 'never':
      return ['More cannot be asked for.']
    case 'on-failure':
      return ['What the sandbox blocks is put to the user, who may let it run again with more rights.']
    case 'untrusted':
    case 'on-request':
      return [
        `To ask for more, call shell with a reason and ${hasNetwork ? '' : 'network: true (the network, for that command) or '}escalate: true (outside the sandbox). If it is clear beforehand that a command needs that, ask at once.`,
      ]
  }
}

/** Joins base and developer instructions, since the engine takes one text; undefined for neither. AGENTS.md files follow it. */
export function withDeveloperInstructions(own: string | undefined, developer: string | undefined): string | undefined {
  return developer === undefined ? own : `${(own ?? baseInstructions()).trim()}\n\n${developer.trim()}`
}
