import type { LocalCopy } from '../port/shared-store.ts'
import { bytesOfMessage, type FetchPorts } from './fetch-log.ts'
import { contentName, namedContents } from './named-contents.ts'

/** Removes all messages of a conversation, then the objects that they and their lines named. */
export async function removeLog(copy: LocalCopy, ports: FetchPorts): Promise<void> {
  const { subject, objects } = ports
  const last = (await subject.last())?.sequence ?? 0
  const names = new Set<string>()
  for await (const message of subject.read({ after: 0, last })) {
    const { files, object } = message
    for (const name of [...files, ...(object === null ? [] : [object])]) names.add(name)
    const lines = (await bytesOfMessage(message, ports)) ?? Buffer.alloc(0)
    for (const hash of await namedContents(copy.contents, lines, objects.get)) names.add(contentName(hash))
  }
  await subject.purge()
  for (const name of names) await objects.remove(name)
}
