import type { Exported } from '../../view/documents/exported.ts'

/** Version of the form, which grows when a field changes its meaning. */
const formatVersion = 1

/** Writes a conversation as one JSON object in pieces, an item on a line: a long one does not fit in one string. */
export function* jsonDocument({ core, items, damagedEvents, program, writtenAt }: Exported): Generator<string> {
  const damage = damagedEvents === 0 ? {} : { damagedEvents }
  const about = { format: 'parley-export', version: formatVersion, program, writtenAt, ...damage, core }
  yield `${JSON.stringify(about).slice(0, -1)},"items":[`
  for (const [index, item] of items.entries()) yield `${index === 0 ? '\n' : ',\n'}${JSON.stringify(item)}`
  yield '\n]}\n'
}
