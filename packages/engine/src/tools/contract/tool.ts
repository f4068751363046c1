import type { Sandbox, SandboxLimits, StopReason } from '@parley/host'
import type { FreeformInput, ImageLimits, JsonSchemaObject, ModelAbilities } from '@parley/models'
import type { Facts } from '@parley/policy'
import type {
  Answers,
  CallHint,
  CallItem,
  CallKind,
  ConversationId,
  Failure,
  Form,
  Item,
  ItemId,
  Mode,
  Plan,
  RuleRef,
  SandboxBlock,
  SandboxMode,
} from '@parley/protocol'
import { isRecord } from '@parley/text'
import type { PatchQuestion } from '@parley/workspace'

/** Fields of a call item that its tool sets; the engine adds id, status and tool name. */
export type DescribedCall = { readonly kind: CallKind } & Pick<CallItem, 'locations'> &
  (
    | Pick<Extract<CallItem, { type: 'toolCall' }>, 'type' | 'title' | 'text' | 'input' | 'findings'>
    | Pick<Extract<CallItem, { type: 'fileChange' }>, 'type' | 'title' | 'text' | 'changes' | 'patchHash'>
    | Pick<
        Extract<CallItem, { type: 'commandExecution' }>,
        'type' | 'title' | 'text' | 'command' | 'cwd' | 'escalation' | 'network' | 'background'
      >
  )

/** Image that is kept beside the log, by its content. */
export type StoredImage = NonNullable<Extract<CallItem, { type: 'toolCall' }>['images']>[number]

type FileChanges = Extract<Item, { type: 'fileChange' }>['changes']

/** Folders of a conversation. */
export interface Workspace {
  readonly cwd: string
  /** Absolute folders that may be written to: cwd and the folders that the user added. */
  readonly roots: readonly string[]
}

/** Side files of a conversation: content too large for the log, named by its hash. */
export interface ToolFiles {
  /** Stores the content and resolves with its reference. */
  put(content: string | Buffer): Promise<string>
  /** Moves a finished file into the store and resolves with its reference. */
  adopt(path: string): Promise<string>
  /** Returns a range of a file; null when the file is missing or damaged. */
  read(file: string, range: { readonly offset: number; readonly length: number }): Buffer | null
  /** Folder into which a running command may spool its output. */
  readonly folder: string
  /** Creates the folder; a failure only costs the middle of long outputs. */
  prepare(): void
}

/** Files that a call reads and keeps. */
export interface CallFiles {
  readonly sideFiles: ToolFiles
  /** Largest image that the API of the model takes. */
  readonly imageLimits: ImageLimits
  /** Returns the output of an earlier command item, or null. */
  outputOf(itemId: ItemId): OutputSource | null
}

/** Sandbox that was decided for a call. */
export interface CallSandbox {
  /** Prepares the sandbox. Rejects when that fails; nothing may run then. */
  prepare(): Promise<Sandbox>
  /** Aborts when the settings have got narrower than the limits of this call; a running command is stopped then. */
  readonly narrowed: AbortSignal
}

/** Answers that a call has from the user, and further questions to the user. */
interface CallUser {
  /** Asks the user during the call. The question is withdrawn when `signal` aborts or the call ends. */
  ask(question: UserQuestion, signal: AbortSignal): Promise<UserReply>
  /** Answers of the user to the call's `form`; null without a form, and where nobody was asked. */
  readonly answers: Answers | null
  /** Note of the user with a yes; null without one. */
  readonly note: string | null
}

/** Context of a call that runs. */
export interface ToolContext extends Workspace {
  readonly conversationId: ConversationId
  readonly itemId: ItemId
  /** 2 for the run after one that the sandbox blocked. */
  readonly attempt: 1 | 2
  /** Aborted with a `AbortReason`. */
  readonly signal: AbortSignal
  /** Aborts when a user sends the command of this call to the background, where it goes on after the call has answered. */
  readonly sentToBackground: AbortSignal
  readonly sandbox: CallSandbox
  readonly files: CallFiles
  readonly user: CallUser
  /** Reports output for display; the outcome carries all of it. */
  report(chunk: Buffer): void
  /** Records the plan. */
  updatePlan(plan: Plan): Promise<void>
}

/** Question of a running call: of a third party, such as an MCP server, or of parley. All its texts are untrusted data. */
export interface UserQuestion {
  /** Title of one line. */
  readonly title: string
  readonly detail: string
  readonly reason: string
  readonly rule: RuleRef
  readonly form: Form
  /** Narrowest sandbox mode that allows as much as a yes does; absent for a question about nothing on this machine. */
  readonly reaches?: SandboxMode
  /** Returns the problem of the answers; null when they fit. */
  check(answers: Answers): { readonly field: string; readonly message: string } | null
}

export type UserReply =
  | { readonly kind: 'answered'; readonly answers: Answers }
  | { readonly kind: 'declined' }
  /** No client can answer, or the question was withdrawn. */
  | { readonly kind: 'cancelled' }

export interface OutputSource {
  /** Side file with all bytes, when the output did not fit in the item. */
  readonly file: string | null
  readonly text: string
}

export interface ToolOutcome {
  readonly status: 'completed' | 'failed' | 'interrupted' | 'unknown'
  /** Exact text for the model, at most 32 KiB. */
  readonly modelText: string
  /** Sentences of the engine at the end of the text. */
  readonly hints?: readonly CallHint[]
  /** Present when nothing was run. */
  readonly notRun?: true
  readonly failure?: Failure
  /** Present when the sandbox could not be set up, so that nothing was run. */
  readonly sandboxBroke?: true
  /** Present when the command was left running for the next server, which records its end. */
  readonly left?: true
  /** Present when the kernel blocked an attempt to use the network. */
  readonly triedNetwork?: true
  /** Present in a replay: the sandbox's block from the log. */
  readonly recordedBlock?: SandboxBlock
  /** Fields of the item that only the run can set. */
  readonly fields?: Partial<
    Pick<
      Extract<Item, { type: 'commandExecution' }>,
      'exitCode' | 'signal' | 'output' | 'background' | 'backgroundStart'
    >
  > & {
    readonly changes?: FileChanges
    readonly text?: string
    readonly images?: StoredImage[]
    readonly skill?: NonNullable<Extract<CallItem, { type: 'toolCall' }>['skill']>
  }
}

/** Sentence of a client on what stopped a turn in place of a user, such as a signal to a script. */
interface ToldStop {
  readonly why: string
}

/** Reason that aborts the work of a turn. `shutdown` leaves stopped processes less time than an interrupt. */
export type AbortReason = 'interrupted' | 'shutdown' | 'handOver' | ToldStop

/** Returns the sentence of a client in the reason of an aborted signal; null for a user's interrupt and for a shutdown. */
export function toldWhy(reason: unknown): string | null {
  return isRecord(reason) && typeof reason['why'] === 'string' ? reason['why'] : null
}

/** Returns how the processes of aborted work are stopped; where the program ends they have less time. */
export function processStop(reason: unknown): StopReason {
  return reason === 'shutdown' || reason === 'handOver' ? reason : 'interrupted'
}

/** Outcome of a call that was stopped with its turn before it did anything. */
export const notStarted: ToolOutcome = {
  status: 'interrupted',
  modelText: 'Not run: the turn was stopped.',
  notRun: true,
}

/** Model that tools are offered to. */
export interface OfferedTo extends ModelAbilities {
  /** True in plan mode. */
  readonly isPlanning: boolean
  /** True in a turn that reviews. */
  readonly isReviewing: boolean
  /** True where a skill is in the model's context. */
  readonly hasSkills: boolean
}

/**
 * Tool of the model. `describe` is pure, `facts` is all that policy may use, and `run` returns the model's mistakes
 * as outcomes.
 */
export interface Tool {
  readonly name: string
  readonly description: string
  /** Returns the schema of its arguments; not a getter, which takes half a KiB in each tool of each conversation. */
  readonly parameters: () => JsonSchemaObject
  /** True for tools that change nothing; their calls run side by side. */
  readonly readOnly: boolean
  /** Form for models that write the input as a text. */
  readonly freeform?: FreeformInput
  /** Tests if a model is offered the tool; absent for a tool that is always offered. A call of any tool is run. */
  readonly offeredTo?: (to: OfferedTo) => boolean
  /** Starts slow preparations when the model begins to write a call. */
  readonly warmUp?: () => void
  prepare(args: unknown): PreparedCall | { readonly problem: string }
}

/** Call with valid arguments. */
export interface PreparedCall {
  describe(workspace: Workspace): DescribedCall
  facts(workspace: Workspace): Promise<Facts>
  /**
   * Plans the effects within the given facts, without causing them. Skipped when policy forbids the call; a problem
   * ends the call before anyone is asked.
   */
  plan(workspace: Workspace, facts: Facts): Promise<ReadyCall | { readonly problem: string }>
  /** Goes on with the run that an earlier server began and an exec-server has kept; absent where nothing can run on. */
  follow?(context: ToolContext, run: KeptRun): Promise<ToolOutcome>
}

/** Run that an earlier server began: how long it has run, and its limits, null for all rights and where they are not known. */
export interface KeptRun {
  readonly ageMs: number
  readonly limits: SandboxLimits | null
}

/** Planned call. `run` does what `payload` describes, wherever the conversation's folder has moved meanwhile. */
export interface ReadyCall {
  /** Exact effects and their location, from which the approval's hash is made. */
  readonly payload: string
  /** Fields of the item that show the plan. */
  readonly shown?: { readonly cwd?: string; readonly changes?: FileChanges }
  /** Form that the user fills in when the call is approved. */
  readonly form?: Form
  /** Modes to work in; a yes to the call chooses one. */
  readonly modes?: readonly Mode[]
  /** Returns the question's text where the item does not hold all of it; a problem rejects the call. */
  readonly question?: () => PatchQuestion | { readonly problem: string }
  run(context: ToolContext): Promise<ToolOutcome>
}

/** Resolves with the result, or with null when the signal aborts first. A later failure is ignored. */
export async function unlessAborted<Result>(result: Promise<Result>, signal: AbortSignal): Promise<Result | null> {
  if (signal.aborted) {
    result.catch(() => undefined)
    return null
  }
  const { promise: aborted, resolve } = Promise.withResolvers<null>()
  const stop = () => resolve(null)
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([result, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
    result.catch(() => undefined)
  }
}
