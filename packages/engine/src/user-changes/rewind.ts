import type { Actor, ItemOf, LeftFile, ParamsOf, ResultOf, RewindPlan } from '@parley/protocol'
import { countedNoun } from '@parley/text'
import { type CallChange, joinChanges, planRewind } from '@parley/workspace'
import type { ChangedNames } from '../history/changed-names.ts'
import { type LiveConversation, writable } from '../live/live-conversation.ts'
import { rejection } from '../replies/rejection.ts'
import { changesSince } from './changes-since.ts'
import { makeUserChange, type PlannedChange, planUserChange } from './user-change.ts'

type Planning = Omit<ParamsOf<'conversation/rewind/plan'>, 'conversationId'>

interface Prepared extends PlannedChange {
  readonly shown: RewindPlan
}

/** Plans a rewind of files, for people to look at. */
export async function showRewind(open: LiveConversation, params: Planning): Promise<RewindPlan> {
  return (await prepare(writable(open), params)).shown
}

async function prepare(open: LiveConversation, { to, overwrite = false }: Planning): Promise<Prepared> {
  const { conversation, roles } = open
  const { history } = roles.act
  const { redaction } = roles.record
  const { environment, store } = history
  const { cwd } = conversation.state.core.meta
  assertPoint(open, to)
  await environment.reach()
  const { changes, unknown } = await changesSince(conversation, to, environment.patches)
  const { named, lost } = await exactly(changes, history.names)
  const joined = joinChanges(named)
  await history.bring(joined.flatMap(({ before }) => before?.hash ?? []))
  const { plans, left } = await planRewind({
    changes: joined,
    cwd,
    files: environment.patches,
    store,
    overwrite,
  })
  const planned = await planUserChange(open, { tool: 'rewind', plans, subject: to })
  const problem = history.problem()
  const notes = [...(problem === null ? [] : [problem]), ...unknown.map(unknownText)]
  const shownLeft = left.map((file) => ({ ...file, path: redaction.text(file.path), text: redaction.text(file.text) }))
  const allLeft = [...shownLeft, ...lost.map(leftWithSecret)]
  return { ...planned, shown: { to, hash: planned.hash, changes: [...planned.changes], left: allLeft, notes } }
}

interface Named {
  readonly named: readonly CallChange[]
  /** Names in place of others, which are no longer known. */
  readonly lost: readonly string[]
}

/** Returns changes by the exact paths of their files. */
async function exactly(changes: readonly CallChange[], names: ChangedNames): Promise<Named> {
  const named: CallChange[] = []
  const lost = new Set<string>()
  for (const change of changes) {
    const path = await names.exact(change.path)
    if (path === null) lost.add(change.path)
    else named.push(path === change.path ? change : { ...change, path })
  }
  return { named, lost: [...lost] }
}

function leftWithSecret(path: string): LeftFile {
  const text = `${path} stays: its name holds a secret, and which file that was is not known any more.`
  return { path, why: 'notPossible', text }
}

function assertPoint({ conversation }: LiveConversation, to: number): void {
  const newest = conversation.state.core.seq
  if (to <= newest) return
  throw rejection('itemNotFound', `There is no event ${to}; the newest is ${newest}.`, { newest })
}

function unknownText(title: string): string {
  return `How "${title}" ended is unknown, and so is what it changed.`
}

/** Brings files back as planned, while no effect runs. Rejects when anything is not as it was planned. */
export function rewindFiles(
  open: LiveConversation,
  { hash, ...params }: Omit<ParamsOf<'conversation/rewind'>, 'conversationId'>,
  by: Actor,
): Promise<ResultOf<'conversation/rewind'>> {
  return makeUserChange(open, {
    hash,
    by,
    plan: () => prepare(writable(open), params),
    about: ({ changes }) => ({
      tool: 'rewind',
      title: `Take back ${countedNoun(changes.length, 'file')}`,
      text: '',
      rewind: { to: params.to, from: open.conversation.state.core.seq, by },
    }),
    told: toldText,
  })
}

/** Returns the text for the model, as a message of the user. */
function toldText({ changes }: ItemOf<'fileChange'>): string {
  const paths = changes.map(({ path }) => path)
  const shown = paths.slice(0, 50).join('\n')
  const more = paths.length > 50 ? `\nand ${paths.length - 50} more` : ''
  return `I took changes of files back myself, to how they were earlier. Read these again before you rely on them:\n${shown}${more}`
}
