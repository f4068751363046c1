import { conversationRows } from '../../../src/ui/menu/loaded-rows.ts'
import { filledMenu, newMenu } from '../../../src/ui/menu/menu.ts'
import { newPicker } from '../../../src/ui/menu/picker.ts'
import type { Scene } from '../../../src/view/scene.ts'
import { after, startedAt } from './conversation.ts'
import { sceneOf, written } from './scene.ts'

const listed = {
  conversationId: 'c2',
  shortId: '51640217',
  cwd: '/home/ada/shop',
  title: 'Fix the discount',
  name: null,
  createdAt: startedAt,
  updatedAt: startedAt - 3 * 3_600_000,
  archived: false,
  forkedFrom: null,
  live: null,
}

const listings = [
  listed,
  { ...listed, conversationId: 'c3', shortId: '797d7975', name: 'release', live: { pid: 4711, socket: null } },
  { ...listed, conversationId: 'c4', shortId: '0000ffff', title: '', cwd: '/srv/elsewhere' },
]
const loading = newMenu({ kind: 'resume', title: 'Resume a conversation', rows: null, folder: listed.cwd }, 0)
const resumeRows = conversationRows(listings, { ownPid: null, liveOnly: false, openId: null })
const resuming = {
  ...filledMenu(loading, resumeRows, 0),
  choice: 1,
  previews: { c3: ['All 41 tests pass.', '', 'Shall I tag it?'] },
}
const foundPicker = {
  ...newPicker,
  found: {
    query: 'kafka',
    places: { c3: '…on a rebalance the Kafka client does not retry the commit, so nothing moves…' },
  },
}
/** Screens of the list of conversations, by their names. */
export const pickerScenes: Readonly<Record<string, Scene>> = {
  'the list of conversations': sceneOf(null, { menu: resuming, opened: null }),
  'the list of conversations from one of them': sceneOf(after(), {
    menu: { ...resuming, rows: conversationRows(listings, { ownPid: null, liveOnly: false, openId: 'c3' }) },
  }),
  'the conversations of one folder': sceneOf(null, { menu: { ...resuming, isFolderOnly: true }, opened: null }),
  'conversations found by their texts': sceneOf(null, {
    menu: { ...resuming, choice: 0, filter: written('kafka'), picker: foundPicker },
    opened: null,
  }),
  'a conversation before it is deleted': sceneOf(null, {
    menu: { ...resuming, picker: { ...newPicker, doing: { kind: 'delete' } } },
    opened: null,
  }),
  'a conversation that is named': sceneOf(null, {
    menu: {
      ...resuming,
      filter: written('release 2'),
      picker: { ...newPicker, doing: { kind: 'rename', filter: written('') } },
    },
    opened: null,
  }),
}
