import type { Conversation, Parley } from '@parley/client'
import { showEffects } from '@parley/presentation/text/control-characters'
import { countOf, formatAgo } from '@parley/presentation/text/formats'
import { type RewindPlan, shortIdOf } from '@parley/protocol'
import { columnLines } from '@parley/text'
import { connect, findConversation } from '../cli/connect.ts'
import { exitCodes, misused } from '../cli/exit-codes.ts'
import type { Launch } from '../cli/launch-server.ts'
import { listPoints, type Point } from '../conversation/fork-point.ts'

export interface RewindFlags {
  readonly to?: number
  readonly files?: boolean
  readonly talk?: boolean
  readonly both?: boolean
  /** True to have the model summarise the part that the copy leaves out. */
  readonly summary?: boolean
  readonly overwrite?: boolean
  readonly yes?: boolean
  readonly json?: boolean
}

/**
 * Runs `parley rewind`: lists the points to go back to, or shows the changes of a rewind to one, and does it with
 * `--yes`. Talk goes back in a copy, so all of it is kept.
 */
export async function runRewind(launch: Launch, id: string, flags: RewindFlags): Promise<number> {
  const { to, json = false } = flags
  assertOneOf(flags)
  await using parley = await connect(launch, { clientName: 'parley-rewind' })
  if (to === undefined) {
    const conversationId = await findConversation(parley, { prefix: id })
    print(launch, pointLines((await listPoints(parley, conversationId)).before, json))
    return exitCodes.ok
  }
  const conversation = await parley.resume(id)
  const plan = flags.talk === true ? null : await planOf(conversation, to, flags)
  if (plan !== null && !json) print(launch, planLines(plan, flags))
  if (flags.yes === true) return await goBack({ launch, parley, conversation, plan, to, id }, flags)
  if (json) print(launch, [JSON.stringify({ to, plan })])
  else launch.streams.stderr.write('Nothing was changed; --yes does it.\n')
  return plan === null || plan.changes.length > 0 ? exitCodes.wouldChange : exitCodeForLeft(plan)
}

/** Returns 12 if files keep their content although they were different at that point. */
function exitCodeForLeft(plan: RewindPlan | null): number {
  return plan === null || plan.left.length === 0 ? exitCodes.ok : exitCodes.wouldChange
}

/** Runs `parley fork` without a point: lists the points where it can fork. */
export async function runForkPoints(launch: Launch, id: string): Promise<number> {
  await using parley = await connect(launch, { clientName: 'parley-fork' })
  const conversationId = await findConversation(parley, { prefix: id })
  const { before, newest } = await listPoints(parley, conversationId)
  // A log needs an event, so nothing can begin before the first message.
  const points = before.filter(({ seq }) => seq > 0)
  print(launch, [...pointRows(points, String(newest).length), `${newest}  the whole conversation`])
  launch.streams.stderr.write(
    `\`parley fork ${id} --at SEQ\` goes on from one of these in a copy, or from any event that \`parley show ${id}\` numbers.\n`,
  )
  return exitCodes.ok
}

/**
 * Runs `parley rescue`: the server of an open conversation saves it as a new one, from its memory and its open log.
 * Works even after the log was deleted.
 */
export async function runRescue(launch: Launch, id: string): Promise<number> {
  await using parley = await connect(launch, { clientName: 'parley-rescue' })
  const { shortId } = await parley.request('conversation/rescue', { conversation: id })
  process.stdout.write(`Saved with all that its server holds: parley resume ${shortId}\n`)
  return exitCodes.ok
}

interface RewindRun {
  readonly launch: Launch
  readonly parley: Parley
  readonly conversation: Conversation
  /** Plan for the files; null for talk alone. */
  readonly plan: RewindPlan | null
  readonly to: number
  readonly id: string
}

async function goBack({ launch, parley, conversation, plan, to, id }: RewindRun, flags: RewindFlags): Promise<number> {
  const item = plan === null || plan.changes.length === 0 ? null : await rewindFiles(conversation, plan, flags)
  if (item !== null && item.status !== 'completed') {
    launch.streams.stderr.write(`No file was changed; \`parley resume ${id}\` shows why.\n`)
    return exitCodes.storage
  }
  const copy =
    flags.talk === true || flags.both === true ? await parley.fork(conversation.id, to, summaryOption(flags)) : null
  const isJson = flags.json === true
  const lines = isJson
    ? [JSON.stringify({ to, plan, item, copy: copy?.id ?? null })]
    : endLines(item?.seq ?? null, copy, id)
  print(launch, lines)
  return exitCodeForLeft(plan)
}

function summaryOption({ summary }: RewindFlags): { readonly summary?: true } {
  return summary === true ? { summary } : {}
}

function assertOneOf({ files, talk, both, to, overwrite, yes, summary }: RewindFlags): void {
  if (summary === true && talk !== true && both !== true)
    throw misused('--summary says what a copy leaves out: give --talk or --both, too.')
  if ([files, talk, both].filter((one) => one === true).length > 1)
    throw misused('Give one of --files, --talk and --both.')
  if (to === undefined && [files, talk, both, overwrite, yes].some((one) => one === true))
    throw misused('Give the point to go back to with --to SEQ; `parley rewind ID` lists them.')
}

async function planOf(conversation: Conversation, to: number, { overwrite = false }: RewindFlags): Promise<RewindPlan> {
  return await conversation.request('conversation/rewind/plan', { to, overwrite })
}

function rewindFiles(conversation: Conversation, { to, hash }: RewindPlan, { overwrite = false }: RewindFlags) {
  return conversation.request('conversation/rewind', { to, hash, overwrite })
}

function pointLines(points: readonly Point[], json: boolean): readonly string[] {
  return json ? points.map((point) => JSON.stringify(point)) : pointRows(points)
}

function pointRows(points: readonly Point[], seqWidth = 0): readonly string[] {
  const now = Date.now()
  const rows = points.map(({ seq, at, text }) => [
    String(seq).padStart(seqWidth),
    formatAgo(at, now),
    `before: ${showEffects(text.split('\n')[0] ?? '')}`,
  ])
  return columnLines(rows, [0])
}

function planLines({ changes, left, notes }: RewindPlan, { overwrite = false }: RewindFlags): readonly string[] {
  const hint = !overwrite && left.some(({ why }) => why === 'changedSince')
  return [
    ...changes.map(({ diff }) => showEffects(diff).trimEnd()),
    ...left.map(({ text }) => `! ${showEffects(text)}`),
    ...(hint ? ['! --overwrite takes these back, too.'] : []),
    ...notes.map((note) => `! ${showEffects(note)}`),
    changes.length === 0 ? 'No file changes.' : `${countOf(changes.length, 'file')}.`,
  ]
}

function endLines(undoTo: number | null, copy: Conversation | null, id: string): readonly string[] {
  return [
    ...(undoTo === null ? [] : [`Files were taken back. \`parley rewind ${id} --to ${undoTo} --yes\` undoes that.`]),
    ...(copy === null ? [] : [`The talk goes on in a copy: parley resume ${shortIdOf(copy.id)}`]),
  ]
}

function print({ streams }: Launch, lines: readonly string[]): void {
  streams.stdout.write(lines.map((line) => `${line}\n`).join(''))
}
