import { lineText } from '@parley/presentation/text/span'
import { describe, expect, test } from 'vitest'
import { openProcess, type ProcessEffect, pressInProcess, withOutput } from '../../../src/ui/processes/process-view.ts'
import { processRoom, processScreen } from '../../../src/view/process-screen.ts'
import { keyOf } from '../type-keys.ts'

const size = { columns: 60, rows: 8 }

function output(count: number, more = {}) {
  const lines = Array.from({ length: count }, (_, index) => ({ number: index + 1, text: `line ${index + 1}` }))
  return { end: null, totalBytes: count * 8, omittedBytes: 0, lines, of: count, ...more }
}

function opened(count = 10) {
  return withOutput(openProcess({ itemId: 'c1', title: 'npm run dev' }), output(count))
}

function press(view: ReturnType<typeof opened>, ...keys: readonly string[]) {
  const effects: ProcessEffect[] = []
  let now = view
  for (const key of keys) {
    const step = pressInProcess(now, keyOf(key), processRoom(now, size))
    now = step.view
    effects.push(...step.effects)
  }
  return { view: now, effects }
}

function rowsOf(view: ReturnType<typeof opened>, around = { isAsked: false, isLost: false }) {
  return processScreen(view, size, around).map(lineText)
}

describe('the view of a process', () => {
  test('shows its newest lines, and its state above', () => {
    expect(rowsOf(opened())).toEqual([
      'npm run dev',
      'runs · 80 B · 10 lines',
      '',
      ...['line 7', 'line 8', 'line 9', 'line 10'],
      'q leaves · i type · / search · t tell me when … · x stop',
    ])
    const ended = withOutput(opened(), output(11, { end: 'exit 1 after 3 s' }))
    expect(rowsOf(ended)[1]).toBe('ended: exit 1 after 3 s · 88 B · 11 lines')
  })

  test('keeps the lines on the screen while others come, until it is at the end again', () => {
    const up = withOutput(press(opened(), 'up', 'up').view, output(12))
    expect(rowsOf(up).slice(3, 7)).toEqual(['line 5', 'line 6', 'line 7', 'line 8'])
    expect(rowsOf(up).at(-1)).toMatch(/^2 below · q leaves/)
    expect(rowsOf(press(up, 'end').view).slice(3, 7)).toEqual(['line 9', 'line 10', 'line 11', 'line 12'])
    expect(rowsOf(press(up, 'home', 'pageup').view)[3]).toBe('line 1')
  })

  test('asks for the lines with a text, and for all again with Escape, which then leaves', () => {
    const searched = press(opened(), '/', 'error', 'enter')
    expect(searched.effects).toEqual([{ kind: 'read' }])
    expect(searched.view).toMatchObject({ query: 'error', shown: null })
    const found = withOutput(searched.view, output(1, { lines: [{ number: 7, text: 'an error' }] }))
    expect(rowsOf(found).slice(1, 4)).toEqual(['runs · 8 B · 1 line with “error”', '', '7: an error'])
    const back = press(found, 'escape', 'escape')
    expect(back.effects).toEqual([{ kind: 'read' }, { kind: 'leave' }])
  })

  test('stops the process with a second key only', () => {
    const once = press(opened(), 'x')
    expect(once.effects).toEqual([])
    expect(rowsOf(once.view).at(-1)).toMatch(/^⚠ This ends it/)
    expect(rowsOf(withOutput(once.view, output(1, { end: 'exit 0' }))).at(-1)).toMatch(/^q leaves/)
    expect(press(once.view, 'x').effects).toEqual([{ kind: 'stop' }])
    expect(press(once.view, 'up', 'x').effects).toEqual([])
    expect(press(withOutput(opened(), output(1, { end: 'exit 0' })), 'x', 'x').effects).toEqual([])
  })

  test('takes a text to be told of; what is typed is no key of the view', () => {
    const told = press(opened(), 't', 'quick exit', 'enter')
    expect(told.effects).toEqual([{ kind: 'tell', pattern: 'quick exit' }])
    expect(rowsOf(press(opened(), 't', 'ready').view).at(-1)).toBe('Tell me when it prints: ready▏')
    expect(press(opened(), 't', 'x', 'escape').effects).toEqual([])
  })

  test('says where nothing can be typed', () => {
    expect(rowsOf(press(opened(), 'i').view).at(-1)).toBe('It takes no input: it was started without one.')
    expect(press(withOutput(opened(), output(1, { end: 'exit 0', input: 'pipe' })), 'enter').view.typed).toBeNull()
  })

  test('types lines into a pipe, and ends it with Ctrl+D', () => {
    const typing = press(withOutput(opened(), output(10, { input: 'pipe' })), 'i', 'q/x')
    expect(rowsOf(typing.view).slice(-2)).toEqual(['Enter sends · Esc ends typing · Ctrl+D ends its input', '› q/x▏'])
    expect(press(typing.view, 'enter', 'enter').effects).toEqual([
      { kind: 'type', sent: { text: 'q/x' } },
      { kind: 'type', sent: { text: '' } },
    ])
    expect(press(typing.view, 'alt+enter', 'ctrl+d')).toMatchObject({
      effects: [
        { kind: 'type', sent: { text: 'q/x', enter: false } },
        { kind: 'type', sent: { close: true } },
      ],
      view: { typed: null },
    })
    expect(press(typing.view, 'ctrl+c').effects).toEqual([])
    expect(withOutput(typing.view, output(10)).typed).toBeNull()
  })

  test('types keys into a terminal, which gets the size of the view', () => {
    const typing = press(withOutput(opened(), output(10, { input: 'terminal' })), 'enter')
    expect(typing.effects).toEqual([{ kind: 'resize' }])
    expect(press(typing.view, 'imp', 'tab', 'up', 'x', 'ctrl+c', 'ctrl+d').effects).toEqual(
      ['imp\t', '\u001b[A', '\u0003', '\u0004'].map((text) => ({ kind: 'type', sent: { text, enter: false } })),
    )
    const pasted = pressInProcess(typing.view, { kind: 'paste', text: 'a\r\nb\nc' }, processRoom(typing.view, size))
    expect(pasted).toMatchObject({ effects: [{ sent: { text: 'a\nb' } }], view: { typed: { text: 'c' } } })
    expect(press(typing.view, 'x', 'escape')).toMatchObject({ effects: [], view: { typed: null } })
  })

  test('hides what answers a prompt for a secret, until that is over', () => {
    const asks = output(1, { input: 'terminal', lines: [{ number: 1, text: "ada's Password: " }], totalBytes: 17 })
    const typing = press(withOutput(opened(), asks), 'i', 'hush')
    expect(rowsOf(typing.view).at(-1)).toBe('● ••••▏')
    const sent = press(typing.view, 'enter')
    expect(sent.effects).toEqual([{ kind: 'type', sent: { text: 'hush', hidden: true } }])
    expect(press(typing.view, 'ctrl+s', 'enter').effects).toEqual([{ kind: 'type', sent: { text: 'hush' } }])
    expect(press(sent.view, 'still hidden').view.typed).toMatchObject({ isHidden: true })
    expect(withOutput(sent.view, output(2, { input: 'terminal' })).typed?.isHidden).toBe(false)
    const byHand = press(withOutput(opened(), output(1, { input: 'pipe' })), 'i', 'ctrl+s').view
    expect(withOutput(byHand, output(2, { input: 'pipe' })).typed?.isHidden).toBe(true)
  })

  test('shows nothing that affects the terminal', () => {
    const lines = [{ number: 1, text: '\u001b]52;c;eA==\u0007a\tb\u202e' }]
    expect(rowsOf(withOutput(opened(), output(1, { lines })))[3]).toBe('a   b')
  })
})
