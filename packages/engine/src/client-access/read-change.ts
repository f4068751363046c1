import { resolve } from 'node:path'
import { StorageError } from '@parley/journal'
import { type ConversationCore, type Item, type ItemId, type ItemOf, limits, type ResultOf } from '@parley/protocol'
import { readDiffs } from '@parley/protocol/calls'
import { changeTexts, diffTexts, isSecret, type RecordedChange } from '@parley/workspace'
import type { LiveConversation } from '../live/live-conversation.ts'
import { rejection } from '../replies/rejection.ts'
import { jsonBytes } from '../replies/wire-limits.ts'

type ChangedText = ResultOf<'conversation/readChange'>['files'][number]
type AnyChange = RecordedChange & Pick<ChangedText, 'kind'>

/**
 * Reads the redacted texts of a change, or of the plan of a waiting one. Files beyond the size of a reply have only the
 * lines of their diffs. `findOld` finds items no longer in memory.
 */
export async function readChange(
  { conversation, roles }: LiveConversation,
  itemId: ItemId,
  findOld: () => Promise<Item | null>,
): Promise<ChangedText[]> {
  const { core, window } = conversation.state
  const known = core.open[itemId]?.item ?? window.findLast(({ item }) => item.id === itemId)?.item
  const item = known ?? (await findOld())
  if (item?.type !== 'fileChange') throw rejection('itemNotFound', `There is no change ${itemId} in this conversation.`)
  const { environment, store, bring } = roles.act.history
  const secrets = await environment.secrets()
  const { cwd: factsCwd } = item.facts ?? {}
  const cwd = typeof factsCwd === 'string' ? factsCwd : core.meta.cwd
  const sources = { cwd, store, files: environment.patches, mayRead: (real: string) => !isSecret(real, secrets) }
  const files: ChangedText[] = []
  let bytesLeft: number = limits.page
  const changes = changesOf(item, core.approvals)
  // While the store is away the diff says what changed.
  await bring(changes.flatMap(({ before }) => before ?? [])).catch(unlessAway)
  for (const change of changes) {
    const whole = shown(change, await changeTexts(change, sources), { cwd, redact: roles.record.redaction.text })
    const file =
      jsonBytes(whole) <= bytesLeft
        ? whole
        : shown(change, diffTexts(change), { cwd, redact: roles.record.redaction.text })
    bytesLeft -= jsonBytes(file)
    files.push(file)
  }
  return files
}

function unlessAway(error: unknown): void {
  if (!(error instanceof StorageError)) throw error
}

/** Returns the changes of an item, or of the question of an item that waits for an answer. */
function changesOf(item: ItemOf<'fileChange'>, approvals: ConversationCore['approvals']): readonly AnyChange[] {
  const asked = Object.values(approvals).find((approval) => approval.itemId === item.id)
  if (item.changes.length > 0 || asked === undefined) return item.changes
  const diffs = new Map(readDiffs(asked.detail).map((change) => [change.path, change.diff]))
  return (asked.files ?? []).map((file) => ({ ...file, diff: diffs.get(file.path) ?? '' }))
}

function shown(
  { path, movedTo, kind }: AnyChange,
  { oldText, newText, isWhole }: ReturnType<typeof diffTexts>,
  { cwd, redact }: { readonly cwd: string; readonly redact: (text: string) => string },
): ChangedText {
  return {
    path: resolve(cwd, path),
    ...(movedTo === undefined ? {} : { movedTo: resolve(cwd, movedTo) }),
    kind,
    oldText: oldText === null ? null : redact(oldText),
    newText: newText === null ? null : redact(newText),
    isWhole,
  }
}
