import type { LocalCopy } from '../port/shared-store.ts'
import { bytesOfMessage, type FetchPorts } from './fetch-log.ts'
import { atBeginning } from './log-subject.ts'
import { contentName, namedContents } from './named-contents.ts'

/** Resolves to the names of the objects that all messages of a conversation and their lines name. */
export async function objectsNamedIn(copy: LocalCopy, ports: FetchPorts): Promise<ReadonlySet<string>> {
  const { subject, objects } = ports
  const newest = await subject.last()
  const names = new Set<string>()
  for await (const message of newest === null ? [] : subject.read(atBeginning, newest)) {
    const { files, object } = message
    for (const name of [...files, ...(object === null ? [] : [object])]) names.add(name)
    const lines = (await bytesOfMessage(message, ports)) ?? Buffer.alloc(0)
    for (const hash of await namedContents(copy.contents, lines, objects.get)) names.add(contentName(hash))
  }
  return names
}

/** Removes all messages of a conversation, then the objects that they named. */
export async function removeLog(
  names: ReadonlySet<string>,
  { subject, objects }: Pick<FetchPorts, 'subject' | 'objects'>,
): Promise<void> {
  await subject.purge()
  for (const name of names) await objects.remove(name)
}
