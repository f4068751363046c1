import { join } from 'node:path'
import { adoptSideFile, type Files, StorageError } from '@parley/journal'
import type { ConversationEvent, Item, ItemOf } from '@parley/protocol'
import {
  comparePlan,
  EnvironmentUnreachableError,
  type FileState,
  type PatchTarget,
  readChanges,
} from '@parley/workspace'
import { spoolName } from '../../tools/keep-output.ts'

interface Around {
  readonly files: Files
  readonly patches: PatchTarget
  /** The conversation's side files. */
  readonly folder: string
  readonly cwd: string
}

/**
 * Looks what became of calls whose end a crash hid: which files of a patch are old or new, and what a command had
 * written. The journal of a patch is in its `execution.started`, so its item knows the hashes.
 */
export function inspectUnknown(
  settling: readonly ConversationEvent[],
  around: Around,
): Promise<readonly ConversationEvent[]> {
  return Promise.all(
    settling.map(async (event) =>
      event.type === 'item.completed' && event.item.status === 'unknown'
        ? { ...event, item: await inspected(event.item, around) }
        : event,
    ),
  )
}

async function inspected(item: Item, around: Around): Promise<Item> {
  if (item.type === 'fileChange') return patchFound(item, around)
  if (item.type === 'commandExecution' || item.type === 'shellCommand') return outputFound(item, around)
  return item
}

async function patchFound(item: ItemOf<'fileChange'>, { patches, cwd }: Around): Promise<ItemOf<'fileChange'>> {
  try {
    return await patchStates(item, { patches, cwd })
  } catch (error) {
    if (!(error instanceof EnvironmentUnreachableError)) throw error
    const message = `Its files cannot be looked at. ${error.message}`
    const modelText = `parley ended while this patch was being written. ${message} Look at them before going on.`
    return { ...item, modelText, failure: { code: 'endUnknown', message } }
  }
}

type Patches = Pick<Around, 'patches' | 'cwd'>

async function patchStates(item: ItemOf<'fileChange'>, { patches, cwd }: Patches): Promise<ItemOf<'fileChange'>> {
  const changes = await readChanges(item.changes, cwd, patches)
  const paths = changes.flatMap(({ path, movedTo }) => (movedTo === undefined ? [path] : [path, movedTo]))
  await patches.removeStrays(item.id, paths)
  const states = await comparePlan(changes, patches)
  const report = [verdict(states), ...states.map(({ path, state }) => `${path}: ${stateWords[state]}`)].join('\n')
  const modelText = `parley ended while this patch was being written. ${report}`
  const failure = { code: 'endUnknown', message: verdict(states) }
  return { ...item, text: `${report}\n\n${item.text}`, modelText, failure }
}

const stateWords: Readonly<Record<FileState['state'], string>> = {
  old: 'as before the patch',
  new: 'as the patch leaves it',
  other: 'neither as before nor as the patch leaves it',
}

function verdict(states: readonly FileState[]): string {
  if (states.every(({ state }) => state === 'new')) return 'All of its files are as the patch leaves them.'
  if (states.every(({ state }) => state === 'old')) return 'None of its files was changed.'
  return 'Only a part of it is done.'
}

type CommandItem = ItemOf<'commandExecution'> | ItemOf<'shellCommand'>

/** The spool of a command that nobody ended holds all that it wrote. */
async function outputFound<Command extends CommandItem>(item: Command, { files, folder }: Around): Promise<Command> {
  const spool = join(folder, spoolName(item.id))
  const sizeBytes = files.look(spool)?.sizeBytes ?? 0
  if (sizeBytes === 0) return item
  try {
    const file = await adoptSideFile(files, folder, spool)
    const { head = '', tail = '' } = item.output ?? {}
    const shownBytes = Buffer.byteLength(head) + Buffer.byteLength(tail)
    const output = { head, tail, totalBytes: sizeBytes, omittedBytes: Math.max(0, sizeBytes - shownBytes), file }
    return { ...item, output }
  } catch (error) {
    if (error instanceof StorageError) return item
    throw error
  }
}
