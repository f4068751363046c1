import { type ConversationState, initialState } from '@parley/protocol'
import { expect, test } from 'vitest'
import type { Journal } from '../../src/conversation/journal.ts'
import type { Shipment } from '../../src/ports/shared-store.ts'
import { rowOf } from '../../src/read/catalogue.ts'
import { shareJournal } from '../../src/sharing/shared-journal.ts'

const loaded = initialState('00000000-0000-7000-8000-000000000001')
const renamed = withMeta({ name: 'another' })
const begun: ConversationState = { ...loaded, core: { ...loaded.core, turn: turnOf('turn_1') } }

test.each([
  ['is not written where lists show it already', rowOf(loaded), loaded, []],
  ['is written where lists show another', rowOf(renamed), loaded, [rowOf(loaded)]],
  ['is written where lists show none', null, loaded, [rowOf(loaded)]],
  ['is written where a turn has begun since, which makes it the newest', rowOf(loaded), begun, [rowOf(begun)]],
  ['is written where it has another name since', rowOf(loaded), renamed, [rowOf(renamed)]],
])('the row of a conversation that is opened %s', (_, stored, now, written) => {
  const described: unknown[] = []
  const shipment: Pick<Shipment, 'row' | 'describe' | 'wrote'> = {
    // As it comes back from the store.
    row: JSON.parse(JSON.stringify(stored)),
    describe: (row) => void described.push(row),
    wrote: () => undefined,
  }
  const shared = shareJournal({ sizeBytes: () => 0 } as Journal, {
    shipment: shipment as Shipment,
    grants: () => null,
    state: loaded,
  })
  shared.describe(now)
  shared.describe(now)
  expect(described).toEqual(written)
})

function withMeta(meta: Partial<ConversationState['core']['meta']>): ConversationState {
  return { ...loaded, core: { ...loaded.core, meta: { ...loaded.core.meta, ...meta } } }
}

function turnOf(id: string) {
  return { id } as ConversationState['core']['turn']
}
