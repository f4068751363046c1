/** A terminal mode that is switched on while the program has the terminal. */
export interface TerminalMode {
  readonly name: string
  readonly enter: string
  readonly leave: string
}

/**
 * Everything that must be undone, in the order of entering. Raw mode is Node's. The mouse stays with the terminal, so
 * that text can be selected. Terminals ignore what they do not know.
 */
export const terminalModes: readonly TerminalMode[] = [
  { name: 'window title', enter: '\x1b[22;2t', leave: '\x1b[23;2t' },
  { name: 'bracketed paste', enter: '\x1b[?2004h', leave: '\x1b[?2004l' },
  { name: 'modifyOtherKeys', enter: '\x1b[>4;2m', leave: '\x1b[>4;0m' },
  // 5: tell apart what legacy codes mix up (1), with the key's place on a US keyboard (4).
  { name: 'kitty keyboard', enter: '\x1b[>5u', leave: '\x1b[<u' },
]

/** What a frame that was cut short may have left: synchronised output, a link, colours, a hidden cursor. */
const unfinishedFrame = '\x1b[?2026l\x1b]8;;\x1b\\\x1b[0m\x1b[?25h'

export function enterSequence(modes: readonly TerminalMode[] = terminalModes): string {
  return modes.map((mode) => mode.enter).join('')
}

/** Undoes the modes, the last first. */
export function leaveSequence(modes: readonly TerminalMode[] = terminalModes): string {
  return (
    unfinishedFrame +
    modes
      .toReversed()
      .map((mode) => mode.leave)
      .join('')
  )
}
