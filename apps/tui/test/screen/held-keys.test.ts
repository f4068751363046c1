import { expect, test } from 'vitest'
import type { Overlay } from '../../src/terminal/overlay.ts'
import { decode, idleDecoder } from '../../src/ui/keys/decoder.ts'
import type { KeyEvent } from '../../src/ui/keys/key-event.ts'
import type { Intent } from '../../src/ui/state/actions.ts'
import { stormWorld } from './storm-world.ts'

/** A window in which Ctrl+T begins to load a view. */
function loadingWorld() {
  const intents: Intent[] = []
  const pressed: KeyEvent[] = []
  let held: Disposable | null = null
  const { controller, ...world } = stormWorld({
    size: { columns: 40, rows: 10 },
    next: () => 1,
    onIntent(intent) {
      intents.push(intent)
      held = controller.holdKeys()
    },
  })
  const view: Overlay = {
    press: (events) => void pressed.push(...events),
    paint: () => undefined,
    forget: () => undefined,
  }
  return {
    ...world,
    controller,
    intents,
    view,
    pressed,
    press: (text: string) => controller.press(decode(idleDecoder, Buffer.from(text)).events),
    composed: () => controller.ui.composing.composer.text,
    giveUp: () => held?.[Symbol.dispose](),
  }
}

test('keys behind one that opens a view, and those pressed while it is loaded, are for the view', () => {
  using world = loadingWorld()
  world.press('a\x14b')
  world.press('c\r')
  expect(world.intents.map(({ kind }) => kind)).toEqual(['showTranscript'])
  expect(world.pressed).toEqual([])
  world.controller.cover(world.view)
  world.giveUp()
  world.press('d')
  const expected = ['b', 'c\r', 'd'].flatMap((text) => decode(idleDecoder, Buffer.from(text)).events)
  expect(JSON.stringify(world.pressed)).toBe(JSON.stringify(expected))
  expect(world.composed()).toBe('a')
})

test('keys that were held for a view that does not come are for the composer', () => {
  using world = loadingWorld()
  world.press('\x14b')
  world.press('c')
  expect(world.composed()).toBe('')
  world.giveUp()
  expect(world.composed()).toBe('bc')
  world.press('d')
  expect(world.composed()).toBe('bcd')
})
