import type { Sandbox } from '@parley/host'
import type { JsonSchemaObject } from '@parley/models'
import type { Facts } from '@parley/policy'
import type { Answers, CallItem, Failure, Form, Item, Plan, RuleRef } from '@parley/protocol'
import type { PatchQuestion } from '@parley/workspace'
import type { SideFiles } from '../engine/conversation/side-files.ts'
/** The fields of a call item that its tool decides; the engine adds id, status and tool name. */
export type Described =
  | Pick<Extract<CallItem, { type: 'toolCall' }>, 'type' | 'title' | 'text' | 'input'>
  | Pick<Extract<CallItem, { type: 'fileChange' }>, 'type' | 'title' | 'text' | 'changes' | 'patchHash'>
  | Pick<
      Extract<CallItem, { type: 'commandExecution' }>,
      'type' | 'title' | 'text' | 'command' | 'cwd' | 'escalation' | 'network' | 'background'
    >

type FileChanges = Extract<Item, { type: 'fileChange' }>['changes']

/** Where a call happens: all a tool may know of its conversation. */
export interface Workspace {
  readonly cwd: string
  /** Absolute folders that may be written to: cwd and what the user added. */
  readonly roots: readonly string[]
}

export interface ToolContext extends Workspace {
  readonly conversationId: string
  readonly itemId: string
  /** Its reason is a `StopReason`. */
  readonly signal: AbortSignal
  /** What this call was decided to run under, made ready now. Rejects where it cannot be; nothing is run then. */
  sandbox(): Promise<Sandbox>
  readonly sideFiles: SideFiles
  /** Output as it comes, for people to watch; what is returned is the whole. */
  report(chunk: Buffer): void
  /** Puts a question to the user while the call runs; taken back when `signal` fires or the call ends. */
  ask(question: UserQuestion, signal: AbortSignal): Promise<UserReply>
  /** Records that the plan is now this. */
  updatePlan(plan: Plan): Promise<void>
  /** Output of an earlier command item of this conversation, null when there is none. */
  outputOf(itemId: string): OutputSource | null
}

/** What somebody else, such as an MCP server, wants to know of the user. All its texts are data. */
export interface UserQuestion {
  /** One line. */
  readonly title: string
  readonly detail: string
  readonly reason: string
  readonly rule: RuleRef
  readonly form: Form
  /** Null when the answers fit. */
  check(answers: Answers): { readonly field: string; readonly message: string } | null
}

export type UserReply =
  | { readonly kind: 'answered'; readonly answers: Answers }
  | { readonly kind: 'declined' }
  /** Nobody is there to answer, or the question was taken back. */
  | { readonly kind: 'cancelled' }

export interface OutputSource {
  /** Side file with all bytes, when the output did not fit in the item. */
  readonly file: string | null
  readonly text: string
}

export interface ToolOutcome {
  readonly status: 'completed' | 'failed' | 'interrupted' | 'unknown'
  /** Exactly what the model is told, at most 32 KiB. */
  readonly modelText: string
  readonly failure?: Failure
  /** Its sandbox could not be set up, so nothing was run. */
  readonly sandboxBroke?: true
  /** The kernel saw it try to reach a network that it does not have. */
  readonly triedNetwork?: true
  /** Fields of the item that only the run could know. */
  readonly fields?: Partial<Pick<Extract<Item, { type: 'commandExecution' }>, 'exitCode' | 'signal' | 'output'>> & {
    readonly changes?: FileChanges
    readonly text?: string
  }
}

/** Of a call that had begun when its turn was stopped, and did nothing yet. */
export const notStarted: ToolOutcome = { status: 'interrupted', modelText: 'Not run: the turn was stopped.' }

/**
 * A tool of the model. `describe` and `parse` are pure; `facts` is all that policy may know; `run` never throws for
 * what the model did wrong: failures are outcomes.
 */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchemaObject
  /** A look-up: changes nothing, runs beside other look-ups. */
  readonly readOnly: boolean
  /** The model has begun to write a call: what is slow to make ready can be while it writes on. */
  readonly expect?: () => void
  prepare(args: unknown): PreparedCall | { readonly problem: string }
}

/** One call whose arguments are understood. */
export interface PreparedCall {
  describe(workspace: Workspace): Described
  facts(workspace: Workspace): Promise<Facts>
  /**
   * What it would do, worked out without doing it, of what the facts name and nothing else. Not asked for what policy
   * forbids; a problem ends the call before anyone is asked.
   */
  workOut(workspace: Workspace, facts: Facts): Promise<ReadyCall | { readonly problem: string }>
}

/** One call with nothing left open: `run` does what `payload` says, wherever the conversation has moved meanwhile. */
export interface ReadyCall {
  /** Exactly what will be done and where, for the hash an approval binds to. */
  readonly payload: string
  /** Fields of the item that say it to people. */
  readonly shown?: { readonly cwd?: string; readonly changes?: FileChanges }
  /** The text of the question about it, where the item does not have all of it; a problem: it cannot be asked about. */
  readonly question?: () => PatchQuestion | { readonly problem: string }
  run(context: ToolContext): Promise<ToolOutcome>
}
