import type { FetchPorts } from './fetch-log.ts'

/** Removes all messages of a conversation, then the objects that they named. */
export async function removeLog({ subject, objects }: Pick<FetchPorts, 'subject' | 'objects'>): Promise<void> {
  const last = (await subject.last())?.sequence ?? 0
  const names = new Set<string>()
  for await (const { files, object } of subject.read({ after: 0, last }))
    for (const name of [...files, ...(object === null ? [] : [object])]) names.add(name)
  await subject.purge()
  for (const name of names) await objects.remove(name)
}
