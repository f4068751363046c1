import { expect, test } from 'vitest'
import { ProcessOverlay } from '../../../src/conversation/pager/process-overlay.ts'
import { decode, idleDecoder } from '../../../src/ui/keys/decoder.ts'
import { ansiTheme } from '../../../src/view/text/theme.ts'
import { after } from '../../view/scenes/conversation.ts'

const output = { title: 'cat', lines: [], totalLines: 0, totalBytes: 0, input: 'pipe', end: null } as const

/** A view whose first reading is answered when the test says so. */
function openView() {
  const reading = Promise.withResolvers<object>()
  const asked: (readonly [string, object])[] = []
  let isLeft = false
  const overlay = new ProcessOverlay({
    conversation: {
      state: after(),
      request: ((method: string, params: object) => {
        asked.push([method, params])
        if (method !== 'conversation/process/read') return Promise.resolve({ taken: true })
        return 'waitMs' in params ? new Promise(() => undefined) : reading.promise
      }) as never, // narrowed: the view asks for nothing else
    },
    screen: {
      uncover: () => {
        isLeft = true
      },
      repaint: () => undefined,
      suspend: () => undefined,
    },
    write: () => undefined,
    process: { itemId: 'i1', title: 'cat' },
  })
  overlay.paint({ state: after(), size: { columns: 80, rows: 20 }, theme: ansiTheme, ambiguous: 1, isLost: false })
  return {
    press: (text: string) => overlay.press(decode(idleDecoder, Buffer.from(text)).events),
    written: () => asked.filter(([method]) => method === 'conversation/process/write').map(([, params]) => params),
    stopped: () => asked.some(([method]) => method === 'conversation/interrupt'),
    isLeft: () => isLeft,
    async answer(given: object | Error) {
      if (given instanceof Error) reading.reject(given)
      else reading.resolve(given)
      await reading.promise.catch(() => null)
      await new Promise(setImmediate)
    },
  }
}

test('keys before the first reading are typed into the process once it says that it takes input', async () => {
  const view = openView()
  view.press('ihi xx')
  view.press('\r')
  expect(view.written()).toEqual([])
  await view.answer(output)
  expect(view.written()).toMatchObject([{ itemId: 'i1', text: 'hi xx' }])
  expect(view.stopped()).toBe(false)
})

test('the view is left at once, also where nothing answers, and does nothing that it has not understood', async () => {
  const view = openView()
  view.press('ixx')
  view.press('\x03')
  expect(view.isLeft()).toBe(true)
  const gone = openView()
  gone.press('ixx')
  await gone.answer(new Error('gone'))
  expect({ written: gone.written(), stopped: gone.stopped() }).toEqual({ written: [], stopped: false })
  const early = openView()
  early.press('q')
  expect(early.isLeft()).toBe(true)
})
