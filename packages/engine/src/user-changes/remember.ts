import { join, relative } from 'node:path'
import type { Actor, ParamsOf, ResultOf } from '@parley/protocol'
import { contentNow, failureText, liesWithin, planPatch } from '@parley/workspace'
import { instructionFileIn, instructionFileNames, isUtf16 } from '../context/instruction-files.ts'
import { repositoryRoot } from '../context/session-context.ts'
import { type LiveConversation, writable } from '../live/live-conversation.ts'
import { invalidParam, rejection } from '../replies/rejection.ts'
import { makeUserChange, type PlannedChange, planUserChange } from './user-change.ts'

interface Remembering extends Omit<ParamsOf<'conversation/remember/plan'>, 'conversationId'> {
  /** `$PARLEY_HOME`. */
  readonly home: string
}

interface Prepared extends PlannedChange {
  readonly path: string
}

/** Plans to add a line to an instruction file, for people to look at. */
export async function planRemember(
  open: LiveConversation,
  params: Remembering,
): Promise<ResultOf<'conversation/remember/plan'>> {
  const { path, hash, changes } = await prepare(writable(open), params)
  return { path, hash, changes: [...changes] }
}

async function prepare(open: LiveConversation, params: Remembering): Promise<Prepared> {
  const { conversation, roles } = open
  const { environment } = roles.act.history
  const { cwd } = conversation.state.core.meta
  const line = lineOf(params.text)
  await environment.reach()
  const folder = await folderFor(open, params)
  const path = (await instructionFileIn(folder, environment.files)) ?? join(folder, instructionFileNames[0])
  const files = environment.patches
  const [real, within] = await Promise.all([files.realPath(path), files.realPath(folder)])
  // Such a file is not read as instructions, and a repository could name any file of this machine.
  if (!liesWithin(real, within))
    throw rejection(
      'invalidParams',
      `${path} is a link out of ${folder}, so it is not read, and nothing is added to it.`,
    )
  const found = await contentNow(real, files)
  const bytes = found?.bytes ?? new Uint8Array()
  if (isUtf16(bytes))
    throw rejection('invalidParams', `${path} is UTF-16, so nothing is added to it. Save it as UTF-8 first.`)
  const content = withLine(Buffer.from(bytes).toString(), line)
  const planned = await planPatch({
    changes: [{ kind: 'write', path: liesWithin(path, cwd) ? relative(cwd, path) : path, content }],
    files,
    cwd,
    secretsIn: roles.record.redaction.secretsIn,
    refusal: () => null,
    mayQuote: () => false,
  })
  if (!planned.ok) throw rejection('invalidParams', failureText(planned.failures).split('\n', 1)[0] ?? '')
  return { ...(await planUserChange(open, { tool: 'remember', plans: planned.plans, subject: line })), path }
}

/** Returns the folder of the file that is read: the root of the repository, or the home of the server. */
async function folderFor({ conversation, roles }: LiveConversation, { where, home }: Remembering): Promise<string> {
  const { meta, settings } = conversation.state.core
  if (where === 'user' && settings.environment !== undefined)
    throw rejection(
      'invalidParams',
      `This conversation works on ${settings.environment}; the file of the user is on this machine: ${join(home, instructionFileNames[0])}.`,
    )
  if (where === 'user') return home
  return (await repositoryRoot(meta.cwd, roles.act.history.environment.files))?.folder ?? meta.cwd
}

function lineOf(text: string): string {
  const words = text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  const line = words.replace(/^[-*](?: +|$)/, '')
  if (line === '') throw invalidParam('text', 'There is nothing to remember in this text.')
  return `- ${line}`
}

/** Adds a line at the end: to a list that is there, else after a blank line. */
function withLine(text: string, line: string): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  const kept = text.trimEnd()
  if (kept === '') return `${line}${end}`
  const isList = /(?:^|\n)[-*] [^\n]*$/.test(kept)
  return `${kept}${isList ? end : end + end}${line}${end}`
}

/** Adds the line as planned, while no effect runs. Rejects when the file is not as it was planned. */
export function remember(
  open: LiveConversation,
  { hash, ...params }: Remembering & { readonly hash: string },
  by: Actor,
): Promise<ResultOf<'conversation/remember'>> {
  return makeUserChange(open, {
    hash,
    by,
    plan: () => prepare(writable(open), params),
    about: ({ changes: [change] }) => ({
      tool: 'remember',
      title: `Remember in ${change?.path ?? ''}`,
      text: lineOf(params.text),
      remembered: { from: open.conversation.state.core.seq, by },
    }),
    told: ({ text, changes: [change] }) =>
      `I added a line to ${change?.path ?? ''}, which counts from now on:\n${text}`,
  })
}
