import { newListing } from '@parley/text'
import { describe, expect, test } from 'vitest'
import { completionsOf } from '../../src/ui/completions.ts'
import { changePart, type UiState } from '../../src/ui/state/ui-state.ts'
import { updateUi } from '../../src/ui/update/update-ui.ts'
import { after, completed, turnEnded, turnStarted, userMessage } from '../view/scenes/conversation.ts'
import { openUi, sceneOf, shown, written } from '../view/scenes/scene.ts'
import { contextAt, typeAtOnce, typeKeys } from './type-keys.ts'

const idle = after(completed(userMessage('first')), turnStarted, turnEnded())
const folder = idle.core.meta.cwd

function listed(paths: readonly string[], isWhole = true) {
  const listing = newListing(folder)
  listing.add(paths)
  return listing.list(isWhole)
}

const filesAsked = { folder, atMs: 10_000 }
const withFiles: UiState = changePart(openUi, 'lists', {
  filesAsked,
  files: listed(['src/cart.ts', 'src/my cart.ts', 'a.png']),
})
const texts = (ui: UiState) => completionsOf(ui).map(({ text }) => text)

describe('@ in a message', () => {
  test('asks for the files of the folder once, and again after ten seconds', () => {
    const first = typeAtOnce(openUi, idle, 1_000, '@')
    expect(first.intents).toEqual([{ kind: 'listFiles', folder }])
    expect(typeAtOnce(first.ui, idle, 2_000, 's').intents).toEqual([])
    expect(typeAtOnce(first.ui, idle, 20_000, 's').intents).toEqual([])
    expect(typeAtOnce(first.ui, idle, 20_000, ' ', '@').intents).toEqual([{ kind: 'listFiles', folder }])
  })

  test('asks for none where the files lie on another machine, and before a conversation is open', () => {
    const settings = { ...idle.core.settings, environment: 'box' }
    const elsewhere = { ...idle, core: { ...idle.core, settings } }
    expect(typeAtOnce(openUi, elsewhere, 1_000, '@').intents).toEqual([])
    expect(typeAtOnce(openUi, null, 1_000, '@').intents).toEqual([])
  })

  test('lists what fits as soon as the first files are known', () => {
    const { ui } = typeAtOnce(openUi, idle, 1_000, '@')
    const some = updateUi(ui, { kind: 'filesListed', files: listed(['src/cart.ts'], false) }, contextAt(idle, 1_100)).ui
    expect(texts(some)).toEqual(['src/'])
    expect(typeAtOnce(some, idle, 1_101, 'tab').ui.composing.composer.text).toBe('@src/')
    const more = updateUi(some, { kind: 'filesListed', files: listed(['src/cart.ts', 'b.ts']) }, contextAt(idle, 1_200))
    expect(texts(more.ui)).toEqual(['src/', 'b.ts'])
    const anew = updateUi(more.ui, { kind: 'filesListed', files: listed([], false) }, contextAt(idle, 1_300)).ui
    expect(texts(anew)).toEqual(['src/', 'b.ts'])
  })

  test('goes into a folder by Tab, and takes a file with a blank after it', () => {
    const { ui } = typeKeys(withFiles, idle, 'see @s', 'tab')
    expect(ui.composing.composer.text).toBe('see @src/')
    expect(texts(ui)).toEqual(['src/cart.ts', 'src/my cart.ts'])
    expect(typeKeys(ui, idle, 'tab', 'x').ui.composing.composer.text).toBe('see @src/cart.ts x')
    expect(typeKeys(ui, idle, 'down', 'tab').ui.composing.composer.text).toBe('see @"src/my cart.ts" ')
  })

  test('is completed by Enter, and sent by Enter once it is whole', () => {
    const taken = typeKeys(withFiles, idle, '@cart', 'enter')
    expect({ text: taken.ui.composing.composer.text, intents: taken.intents }).toEqual({
      text: '@src/cart.ts ',
      intents: [],
    })
    expect(typeKeys(withFiles, idle, '@src/cart.ts', 'enter').intents).toMatchObject([
      { kind: 'send', message: { text: '@src/cart.ts' } },
    ])
    expect(typeKeys(withFiles, idle, '@src/cart.ts:10-20', 'enter').intents).toMatchObject([
      { kind: 'send', message: { text: '@src/cart.ts:10-20' } },
    ])
  })

  test('stays text where nothing fits', () => {
    expect(typeKeys(withFiles, idle, '@zzz', 'enter').intents).toMatchObject([{ kind: 'send' }])
  })

  test('shows its list below the composer', () => {
    const scene = sceneOf(idle, changePart(withFiles, 'composing', { composer: written('@src/') }))
    expect(shown(scene)).toContain('▸ src/cart.ts\n  src/my cart.ts')
    const looking = { composing: { composer: written('@') }, lists: { filesAsked } }
    expect(shown(sceneOf(idle, looking))).toContain('looking for files…')
  })
})

test('a path that is too wide for the window is shown by its end', () => {
  const files = listed(['packages/some/long/folder/of/it/cart.ts', `${'x'.repeat(60)}.ts`])
  const scene = {
    ...sceneOf(idle, {
      ...withFiles,
      lists: { ...withFiles.lists, files },
      composing: { ...withFiles.composing, composer: written('@cart') },
    }),
    size: { columns: 30, rows: 20 },
  }
  expect(shown(scene)).toContain('▸ …/long/folder/of/it/cart.ts')
  const name = { ...scene, ui: changePart(scene.ui, 'composing', { composer: written('@xx') }) }
  expect(shown(name)).toContain(`▸ ${'x'.repeat(27)}…`)
})

describe('arguments of commands', () => {
  test('are listed after the blank, with what they mean', () => {
    const scene = sceneOf(idle, { composing: { composer: written('/sandbox ') } })
    expect(shown(scene)).toContain('▸ read-only           their own /tmp and nothing else')
    expect(texts(changePart(openUi, 'composing', { composer: written('/effort m') }))).toEqual(['minimal', 'medium'])
    expect(texts(changePart(openUi, 'composing', { composer: written('/name m') }))).toEqual([])
  })

  test('are completed by Tab and by Enter, which runs nothing that was not written', () => {
    expect(typeKeys(openUi, idle, '/approvals n', 'tab').ui.composing.composer.text).toBe('/approvals never')
    const completed = typeKeys(openUi, idle, '/approvals n', 'enter')
    expect({ text: completed.ui.composing.composer.text, intents: completed.intents }).toEqual({
      text: '/approvals never',
      intents: [],
    })
    expect(typeKeys(completed.ui, idle, 'enter').intents).toMatchObject([{ kind: 'configure' }])
  })

  test('are not taken by Enter where none is begun', () => {
    expect(typeKeys(openUi, idle, '/sandbox ', 'enter').ui.menu).toMatchObject({ kind: 'sandbox' })
    expect(typeKeys(openUi, idle, '/sandbox ', 'down', 'enter').ui.composing.composer.text).toBe(
      '/sandbox workspace-write',
    )
  })

  test('of /model are chosen from the list of models', () => {
    const { ui, intents } = typeKeys(openUi, idle, '/model gp', 'tab')
    expect(ui.menu).toMatchObject({ kind: 'model', filter: { text: 'gp' } })
    expect(intents).toEqual([{ kind: 'models' }])
  })
})
