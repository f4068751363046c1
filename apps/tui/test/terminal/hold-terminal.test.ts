import { describe, expect, test } from 'vitest'
import {
  alternateModes,
  enterSequence,
  holdTerminal,
  kittyKeys,
  kittyQuestion,
  leaveSequence,
  terminalModes,
} from '../../src/terminal/hold-terminal.ts'
import type { TerminalPort, TerminationSignal } from '../../src/terminal/port.ts'

/** The modes, and the question for the keyboard protocol. */
const entered = enterSequence() + kittyQuestion

function recordingPort() {
  const written: string[] = []
  const exits: number[] = []
  const listeners = new Map<string, () => void>()
  const on = (name: string, listener: () => void) => {
    listeners.set(name, listener)
    return () => listeners.delete(name)
  }
  const port: TerminalPort = {
    write: (text) => written.push(text === entered ? 'enter' : text === leaveSequence() ? 'leave' : text),
    onExit: (listener) => on('exit', listener),
    onUncaughtError: (listener) => on('error', listener),
    onSignal: (signal: TerminationSignal, listener) => on(signal, listener),
    exit: (code) => {
      exits.push(code)
      listeners.get('exit')?.()
    },
  }
  return { port, written, exits, listeners, fire: (name: string) => listeners.get(name)?.() }
}

describe('modes', () => {
  test('every mode that is set is restored, the last first, and the cursor is shown', () => {
    const leave = leaveSequence()
    const places = terminalModes.map((mode) => leave.indexOf(mode.leave))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((left, right) => right - left))
    expect(leave).toContain('\x1b[?25h')
    expect(Math.min(...places)).toBeGreaterThan(leave.indexOf('\x1b[?25h'))
    for (const mode of terminalModes) expect(enterSequence()).toContain(mode.enter)
  })

  test('neither the mouse nor clearing scrollback is among them', () => {
    expect(enterSequence() + leaveSequence()).not.toMatch(/\x1b\[\?100\d|\x1b\[3J/)
  })
})

describe('holdTerminal', () => {
  test.each(['exit', 'error'])('%s gives the terminal back once', (event) => {
    const { port, written, fire } = recordingPort()
    holdTerminal(port)
    fire(event)
    fire('exit')
    expect(written).toEqual(['enter', 'leave'])
  })

  test.each([
    ['SIGHUP', 129],
    ['SIGQUIT', 131],
    ['SIGTERM', 143],
  ])('%s gives it back and exits with %i', (signal, code) => {
    const { port, written, exits, fire } = recordingPort()
    holdTerminal(port)
    fire(signal)
    expect([written, exits]).toEqual([['enter', 'leave'], [code]])
  })

  test('it is released and taken again, as for an editor', () => {
    const { port, written, fire } = recordingPort()
    const terminal = holdTerminal(port)
    terminal.leave()
    terminal.leave()
    terminal.enter()
    fire('exit')
    expect(written).toEqual(['enter', 'leave', 'enter', 'leave'])
  })

  test('disposal restores the terminal and removes the listeners', () => {
    const { port, written, listeners } = recordingPort()
    {
      using _terminal = holdTerminal(port)
    }
    expect(written).toEqual(['enter', 'leave'])
    expect(listeners.size).toBe(0)
  })
})

describe('the alternate screen', () => {
  const on = enterSequence(alternateModes)
  const off = leaveSequence(alternateModes)

  test('is left before the modes of the terminal are', () => {
    const { port, written, fire } = recordingPort()
    const held = holdTerminal(port)
    held.setAlternate(true)
    fire('exit')
    expect(written).toEqual(['enter', on, off + leaveSequence()])
    expect(off).toContain('\x1b[?1049l')
  })

  test('is left once', () => {
    const { port, written, fire } = recordingPort()
    const held = holdTerminal(port)
    held.setAlternate(true)
    held.setAlternate(false)
    fire('exit')
    expect(written).toEqual(['enter', on, off, 'leave'])
  })

  test('comes back after another program had the terminal', () => {
    const { port, written } = recordingPort()
    const held = holdTerminal(port)
    held.setAlternate(true)
    held.leave()
    held.enter()
    expect(written.slice(2)).toEqual([off + leaveSequence(), entered + on])
  })
})

describe('the kitty keyboard protocol', () => {
  test('is switched on once the terminal has answered, and off on leaving', () => {
    const { port, written, fire } = recordingPort()
    const held = holdTerminal(port)
    held.enableKittyKeys()
    held.enableKittyKeys()
    fire('exit')
    expect(written).toEqual(['enter', kittyKeys.enter, leaveSequence([...terminalModes, kittyKeys])])
  })

  test('is switched on again without a question after another program had the terminal', () => {
    const { port, written } = recordingPort()
    const held = holdTerminal(port)
    held.enableKittyKeys()
    held.leave()
    held.enter()
    expect(written.at(-1)).toBe(enterSequence([...terminalModes, kittyKeys]))
  })

  test('is switched on for the alternate screen by itself', () => {
    const { port, written } = recordingPort()
    const held = holdTerminal(port)
    held.enableKittyKeys()
    held.setAlternate(true)
    held.setAlternate(false)
    const modes = [...alternateModes, kittyKeys]
    expect(written.slice(2)).toEqual([enterSequence(modes), leaveSequence(modes)])
    expect(written[3]?.indexOf(kittyKeys.leave)).toBeLessThan(written[3]?.indexOf('\x1b[?1049l') ?? 0)
  })
})
