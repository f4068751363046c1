import type { Said } from '../view/said.ts'

export const keyHelp: Said = {
  kind: 'table',
  title: 'Keys',
  rows: [
    ['Enter', 'send; while it works: goes in after the current step'],
    ['Alt+Enter', 'while it works: waits for the next turn'],
    ['Shift+Enter, Ctrl+J, \\ Enter', 'new line'],
    ['↑ ↓', 'what was sent before, in this folder too; on an empty line the newest waiting message'],
    [
      '↑ ↓ Enter',
      'at a question: choose an answer and give it; a letter answers by itself when nothing is typed after it',
    ],
    ['Esc', 'close what is open, else stop the turn'],
    ['Ctrl+C', 'clear the text, stop the turn, press twice to leave'],
    ['Ctrl+D', 'leave, on an empty line'],
    ['Ctrl+Z', 'back to the shell for a while; fg comes back'],
    ['Ctrl+A E B F W U K Y _', 'move, delete, bring back and undo as in a shell'],
    ['!command', 'run a command yourself, outside the sandbox'],
  ],
}
