import type { Actor } from '@parley/protocol'
import { stripEffects } from '../view/neutralise.ts'
import { truncateText } from '../view/truncate.ts'

const nameColumns = 60

/** What a client calls itself, which may be anything: one short row of plain text. */
export function actorName({ title, name }: Pick<Actor, 'title' | 'name'>): string {
  const text = stripEffects(title || name)
    .replaceAll('\n', ' ')
    .trim()
  return text === '' ? 'somebody' : truncateText(text, { columns: nameColumns })
}
