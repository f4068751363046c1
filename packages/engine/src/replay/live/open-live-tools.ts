import { sessionPaths } from '@parley/journal'
import { imageLimitsOf } from '@parley/models'
import { withoutAllowing } from '@parley/policy'
import type { CallItem, ConversationEvent, ItemId } from '@parley/protocol'
import { createRedaction, type Redaction } from '@parley/redaction'
import { type Environment, openContentStore, realOrGiven } from '@parley/workspace'
import { createSideFiles, redactSideFiles } from '../../conversation/side-files.ts'
import { standsForAnother } from '../../history/changed-names.ts'
import { changedFiles } from '../../history/changes-since.ts'
import { type PolicyPorts, readWantedRules } from '../../policy/read-rules.ts'
import { systemClock } from '../../ports/clock-and-ids.ts'
import { rejection } from '../../replies/rejection.ts'
import { existingFolder } from '../../settings/existing-folder.ts'
import { configHere, envRulesOf } from '../../settings/read-config.ts'
import { noSkills } from '../../tools/contract/skill-source.ts'
import type { ToolContext, ToolOutcome, Workspace } from '../../tools/contract/tool.ts'
import { createTools } from '../../tools/registry.ts'
import { noBackground } from '../ports/nothing-starts.ts'
import type { Recording } from '../read-recording.ts'
import { createLiveTools, type LiveTools } from './live-tools.ts'
import { compareFiles } from './same-files.ts'
import { lastingText } from './same-outcome.ts'
import { openScratchCopy } from './scratch-copy.ts'

interface OpenedLiveTools extends AsyncDisposable {
  readonly live: LiveTools
}

interface LivePorts extends PolicyPorts {
  /** Environment of this machine. */
  readonly environment: Environment
}

/**
 * Opens the tools of a replay in a copy of the folder of its conversation, or of `folder`. Rejects where the sandbox is not
 * enforced in full, where there is nothing to copy, and for rules with a mistake.
 */
export async function openLiveTools(
  recording: Recording,
  { folder }: { readonly folder?: string },
  ports: LivePorts,
): Promise<OpenedLiveTools> {
  const { environment, files, home } = ports
  const { sandboxes } = environment
  await assertFullEnforcement(environment)
  const recorded = folderOf(recording)
  const rules = withoutAllowing(await readWantedRules(ports.userRules, { cwd: recorded }))
  const store = openContentStore(sessionPaths(home, recording.conversationId)?.snapshots ?? home)
  const kept = createSideFiles(files, recording.folder)
  // A file whose name holds a secret has another name in the log, so it is not followed.
  const changedIn = (event: ConversationEvent) =>
    event.type === 'files.changed' ? changedFiles(event, kept).filter(({ path }) => !standsForAnother(path)) : []
  const copy = await openScratchCopy({
    from: existingFolder(folder ?? recorded),
    recorded,
    changes: recording.events.flatMap(({ event }) => changedIn(event)),
    store,
    environment,
  })
  const redaction = createRedaction({ home, env: environment.env })
  const { values } = configHere(copy.work, {}, ports).effective
  const lasting = (text: string) => lastingText(text, [copy.work, recorded, realOrGiven(recorded)])
  const sandboxOf = async (item: CallItem) => {
    await assertFullEnforcement(environment)
    return sandboxes.prepare({
      mode: hadNoWrites(item) ? 'read-only' : 'workspace-write',
      writableRoots: [copy.work],
      network: false,
      unixSockets: false,
      masked: await environment.secrets(),
      scratch: copy.temporary,
    })
  }
  const live = createLiveTools({
    events: recording.events,
    copy,
    recorded,
    rules,
    tools: createTools({
      environment,
      background: noBackground,
      tellPrinted: () => undefined,
      shellParser: ports.shellParser,
      envRules: envRulesOf(values.shell_environment),
      redaction,
      clock: systemClock,
      skills: noSkills,
      editors: undefined,
    }),
    contextOf: (item, workspace) => ({
      ...outsideTheEngine(item.id, recording),
      ...workspace,
      sandbox: () => sandboxOf(item),
      sideFiles: redactSideFiles(createSideFiles(files, copy.outputs), redaction),
    }),
    redacted: (outcome) => withMarks(outcome, redaction),
    lasting,
    changedIn,
    compareFiles: (changes) => compareFiles(changes, { copy, store, environment, lasting, marked: redaction.text }),
  })
  return { live, [Symbol.asyncDispose]: () => copy[Symbol.asyncDispose]() }
}

async function assertFullEnforcement({ sandboxes }: Environment): Promise<void> {
  const { enforcement, reason } = await sandboxes.report()
  if (enforcement === 'full') return
  throw rejection(
    'invalidParams',
    `Tools of a replay run only in a sandbox that is enforced in full, and here it is not. ${reason}`,
    { field: 'liveTools' },
  )
}

/** Tells if a command could write nothing then. */
function hadNoWrites(item: CallItem): boolean {
  return item.type === 'commandExecution' && item.decision?.limits?.sandbox === 'read-only'
}

/** Returns the folder in which a conversation began. Rejects for one on another machine. */
function folderOf({ events }: Recording): string {
  const first = events[0]?.event
  if (first?.type !== 'conversation.created') return '/'
  const { environment } = first.settings
  if (environment === undefined) return first.cwd
  throw rejection(
    'invalidParams',
    `Its tools ran in the environment ${environment}, and a replay runs them only here.`,
    {
      field: 'liveTools',
    },
  )
}

/** Returns what a call has of its conversation: nobody sees, stops or answers it. */
function outsideTheEngine(
  itemId: ItemId,
  { conversationId }: Recording,
): Omit<ToolContext, 'sandbox' | 'sideFiles' | keyof Workspace> {
  const never = new AbortController().signal
  return {
    conversationId,
    itemId,
    attempt: 1,
    signal: never,
    narrowed: never,
    sentToBackground: never,
    imageLimits: imageLimitsOf({ adapter: '' }),
    report: () => undefined,
    ask: () => Promise.resolve({ kind: 'cancelled' }),
    answers: null,
    note: null,
    updatePlan: () => Promise.resolve(),
    outputOf: () => null,
  }
}

/** Returns an outcome with marks in place of secrets, as a log has them. */
function withMarks(outcome: ToolOutcome, { text: mark }: Pick<Redaction, 'text'>): ToolOutcome {
  const { fields = {}, modelText } = outcome
  const { output, text, changes } = fields
  return {
    ...outcome,
    modelText: mark(modelText),
    fields: {
      ...fields,
      ...(output === undefined ? {} : { output: { ...output, head: mark(output.head), tail: mark(output.tail) } }),
      ...(text === undefined ? {} : { text: mark(text) }),
      ...(changes === undefined ? {} : { changes: changes.map((one) => ({ ...one, diff: mark(one.diff) })) }),
    },
  }
}
