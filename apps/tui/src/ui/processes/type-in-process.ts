import {
  emptyLine,
  type ProcessInputKind,
  type SentText,
  type TypedLine,
} from '@parley/presentation/processes/typed-line'

/** Outcome of a key: the line after it, or null to end the typing, and the text to send. */
export interface TypingStep {
  readonly line: TypedLine | null
  readonly sent: SentText | null
}

/** Sequences that a terminal sends for keys that are no text. */
const terminalKeys: Readonly<Record<string, string>> = {
  tab: '\t',
  up: '\u001b[A',
  down: '\u001b[B',
  right: '\u001b[C',
  left: '\u001b[D',
  home: '\u001b[H',
  end: '\u001b[F',
  delete: '\u001b[3~',
}

/** Handles a key while a line is typed. Keys that are no text take the line along, so that secrets are found whole. */
export function typeKey(line: TypedLine, key: string, input: ProcessInputKind): TypingStep {
  switch (key) {
    case 'enter':
      return send(line, {})
    case 'alt+enter':
      return line.text === '' ? keep(line) : send(line, { enter: false })
    case 'escape':
      return { line: null, sent: null }
    case 'backspace':
    case 'ctrl+h':
      return keep({ ...line, text: [...line.text].slice(0, -1).join('') })
    case 'ctrl+u':
      return keep({ ...line, text: '' })
    case 'ctrl+s':
      return keep({ ...line, isHidden: !line.isHidden, isAfterHidden: false })
    default:
      return [...key].length === 1 ? keep({ ...line, text: line.text + key }) : otherKey(line, key, input)
  }
}

/** Takes pasted text: whole lines are sent, and what follows the last line end stays to be sent. */
export function pasteText(line: TypedLine, pasted: string): TypingStep {
  const text = line.text + pasted.replace(/\r\n?/g, '\n')
  const end = text.lastIndexOf('\n')
  if (end < 0) return keep({ ...line, text })
  const { sent } = send({ ...line, text: text.slice(0, end) }, {})
  return { line: { ...line, text: text.slice(end + 1) }, sent }
}

function otherKey(line: TypedLine, key: string, input: ProcessInputKind): TypingStep {
  if (input === 'pipe') return pipeKey(line, key)
  const control = /^ctrl\+([a-z\\\]^_])$/.exec(key)?.[1]
  // The terminal, too, drops the text typed before Ctrl+C.
  if (control === 'c') return { line: emptyLine, sent: { text: '\u0003', enter: false } }
  const sequence =
    control === undefined ? terminalKeys[key] : String.fromCharCode(control.toUpperCase().charCodeAt(0) - 64)
  return sequence === undefined ? keep(line) : send({ ...line, text: line.text + sequence }, { enter: false })
}

function pipeKey(line: TypedLine, key: string): TypingStep {
  if (key === 'ctrl+c') return { line: null, sent: null }
  if (key !== 'ctrl+d') return keep(line)
  const text = line.text === '' ? {} : { text: line.text, enter: false, ...hiddenIn(line) }
  return { line: null, sent: { ...text, close: true } }
}

function send(line: TypedLine, how: Pick<SentText, 'enter'>): TypingStep {
  const next = line.isHidden ? { ...emptyLine, isHidden: true, isAfterHidden: true } : emptyLine
  return { line: next, sent: { text: line.text, ...how, ...hiddenIn(line) } }
}

function hiddenIn({ isHidden, text }: TypedLine): Pick<SentText, 'hidden'> {
  return isHidden && text !== '' ? { hidden: true } : {}
}

function keep(line: TypedLine): TypingStep {
  return { line, sent: null }
}
