import { type KeyEvent, keyPress } from './key-event.ts'

/** The key behind a control character. LF is Ctrl+J; BS is what some terminals send for Backspace. */
export function controlKey(code: number): KeyEvent {
  switch (code) {
    case 0x00:
      return keyPress('space', { ctrl: true })
    case 0x08:
    case 0x7f:
      return keyPress('backspace')
    case 0x09:
      return keyPress('tab')
    case 0x0d:
      return keyPress('enter')
    case 0x1b:
      return keyPress('escape')
    default:
      return code < 0x20
        ? keyPress(String.fromCharCode(code + 0x40).toLowerCase(), { ctrl: true })
        : { kind: 'ignored', sequence: String.fromCharCode(code) }
  }
}
