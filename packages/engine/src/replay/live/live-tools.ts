import { decide, type Facts, type Rules } from '@parley/policy'
import type { CallItem, ChangedPath, ResultOf, SandboxMode } from '@parley/protocol'
import type { Tool, ToolContext, ToolOutcome, Workspace } from '../../tools/contract/tool.ts'
import type { RecordedEvent } from '../read-recording.ts'
import { compareOutcomes, inText, type OutcomeDifference } from './same-outcome.ts'
import type { ScratchCopy } from './scratch-copy.ts'

type Live = NonNullable<ResultOf<'replay/run'>['live']>

/** Call whose outcome the log has next. */
interface RecordedRun {
  readonly tool: string
  readonly args: unknown
  readonly item: CallItem
  /** Folder and sandbox mode of the conversation then. */
  readonly cwd: string
  readonly mode: SandboxMode
  readonly outcome: ToolOutcome
  /** Index of the outcome in the log. */
  readonly at: number
}

/** Runs calls of a log once more, in a copy of its workspace, and compares what they come to. */
export interface LiveTools {
  /** Runs a call, unless its outcome is taken from the log. Resolves to how it differs; null for not at all. */
  check(run: RecordedRun): Promise<OutcomeDifference | null>
  /** Resolves when no call runs; null where none does. */
  readonly running: Promise<unknown> | null
  /** Returns what was run and what was not. */
  report(): Live
}

interface LiveParts {
  readonly events: readonly RecordedEvent[]
  readonly copy: ScratchCopy
  /** Folder that the log names. */
  readonly recorded: string
  readonly tools: readonly Tool[]
  /** Rules of the user that deny or ask. */
  readonly rules: Rules
  readonly contextOf: (item: CallItem, workspace: Workspace) => ToolContext
  /** Returns an outcome with secrets marked, as the log has them. */
  readonly redacted: (outcome: ToolOutcome) => ToolOutcome
  /** Returns a text without what is never the same twice. */
  readonly lasting: (text: string) => string
  /** Returns the files that a `files.changed` names. */
  readonly changedIn: (event: RecordedEvent['event']) => readonly ChangedPath[]
  readonly compareFiles: (changes: readonly ChangedPath[]) => Promise<OutcomeDifference | null>
}

/** Tools whose effects are no files and no output of their own: a plan, answers of the user, and processes in the background. */
const takenTools: ReadonlySet<string> = new Set(['update_plan', 'ask_user', 'stop_process', 'read_process'])

export function createLiveTools(parts: LiveParts): LiveTools {
  const { events, copy, changedIn, lasting, redacted, compareFiles } = parts
  const taken: Live['taken'] = []
  const unlike: string[] = []
  let ran = 0
  let followed = 0
  let last: Promise<unknown> | null = null

  /** Returns what the log says was changed since the call before, by this run and by everything else. */
  function changesUpTo({ at, item }: RecordedRun) {
    const since = events.slice(followed, at)
    followed = at
    const isOwn = ({ event }: RecordedEvent) => event.type === 'files.changed' && event.itemId === item.id
    const changesOf = (found: readonly RecordedEvent[]) => found.flatMap(({ event }) => changedIn(event))
    return { own: changesOf(since.filter(isOwn)), others: changesOf(since.filter((one) => !isOwn(one))) }
  }

  async function follow(changes: readonly ChangedPath[]): Promise<void> {
    if (changes.length > 0) for (const difference of await copy.follow(changes)) unlike.push(difference)
  }

  async function checkNow(run: RecordedRun): Promise<OutcomeDifference | null> {
    const { own, others } = changesUpTo(run)
    await follow(others)
    const found = await runInCopy(run, parts)
    if ('why' in found) {
      const { id: itemId, tool, title } = run.item
      taken.push({ itemId, tool, title, why: found.why })
      await follow(own)
      return null
    }
    ran++
    return compareOutcomes(run.outcome, redacted(found), lasting) ?? (await compareFiles(own))
  }

  return {
    check(run) {
      const mine = (last ?? Promise.resolve()).then(() => checkNow(run))
      const ended = mine.then(
        () => undefined,
        () => undefined,
      )
      last = ended
      void ended.then(() => {
        if (last === ended) last = null
      })
      return mine
    },
    get running() {
      return last
    },
    report: () => ({ start: copy.start, ran, taken: [...taken], unlike: [...new Set(unlike)] }),
  }
}

/** Runs a call in the copy; tells why not where it is taken from the log. */
async function runInCopy(
  { tool: name, args, item, cwd: then, mode }: RecordedRun,
  { tools, copy, recorded, rules, contextOf }: LiveParts,
): Promise<ToolOutcome | { readonly why: string }> {
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined) return { why: 'a tool of an MCP server' }
  const why = reasonToTake(item, mode)
  if (why !== null) return { why }
  const cwd = copy.placeOf(then)
  if (cwd === null) return { why: 'it worked in another folder' }
  const workspace = { cwd, roots: [copy.work] }
  const prepared = tool.prepare(withPaths(args, inText(recorded), copy.work))
  if ('problem' in prepared) return failed(prepared.problem)
  const facts = await prepared.facts(workspace)
  const needed = rightNeeded(facts, rules)
  if (needed !== null) return { why: needed }
  const plan = await prepared.plan(workspace, facts)
  if ('problem' in plan) return failed(plan.problem)
  const outcome = await plan.run(contextOf(item, workspace))
  // As its item would have them: what the run does not say stays as it was described and planned.
  const { text } = prepared.describe(workspace)
  const { changes } = plan.shown ?? {}
  return { ...outcome, fields: { text, ...(changes === undefined ? {} : { changes }), ...outcome.fields } }
}

/** Returns why the outcome of a call is that of the log, by what the log says of it; null for a call that runs. */
function reasonToTake(item: CallItem, mode: SandboxMode): string | null {
  if (takenTools.has(item.tool)) return 'it has no outcome of its own'
  if (item.status === 'interrupted' || item.status === 'unknown') return 'it was stopped, or its end is unknown'
  if (item.type === 'commandExecution' && item.background !== undefined) return 'it ran in the background'
  const isUnlimited = item.type === 'commandExecution' && item.decision?.limits?.sandbox === 'none'
  if (isUnlimited && mode !== 'danger-full-access') return 'it ran outside the sandbox'
  if (item.type === 'toolCall' && item.input.includes('"output:')) return 'it read the output of an earlier call'
  return item.attempt === 2 ? 'it ran again with more rights' : null
}

/** Returns which right a call lacks in the copy, as no yes of the log counts here; null for none. */
function rightNeeded(facts: Facts, rules: Rules): string | null {
  const { verdict, run, reason } = decide(facts, {
    rules,
    sessionGrants: [],
    approvalPolicy: 'on-request',
    sandboxMode: 'workspace-write',
    enforcement: 'full',
    network: false,
  })
  if (verdict === 'deny') return `it is denied: ${reason}`
  return verdict === 'allow' && run === 'sandboxed' ? null : `it needs a yes: ${reason}`
}

function failed(problem: string): ToolOutcome {
  return { status: 'failed', modelText: problem, failure: { code: 'invalidToolCall', message: problem } }
}

/** Returns arguments that name the copy wherever they named the workspace. */
function withPaths(value: unknown, folder: RegExp, copy: string): unknown {
  if (typeof value === 'string') return value.replace(folder, () => copy)
  if (Array.isArray(value)) return value.map((one) => withPaths(one, folder, copy))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withPaths(one, folder, copy)]))
}
