export type EditingCommand =
  | 'left'
  | 'right'
  | 'wordLeft'
  | 'wordRight'
  | 'lineStart'
  | 'lineEnd'
  | 'textStart'
  | 'textEnd'
  | 'up'
  | 'down'
  | 'deleteBefore'
  | 'deleteAfter'
  | 'killWordBefore'
  | 'killBlankWordBefore'
  | 'killWordAfter'
  | 'killToLineStart'
  | 'killToLineEnd'
  | 'newline'
  | 'yank'
  | 'undo'
  | 'redo'

interface EditingRow {
  readonly keys: readonly string[]
  readonly command: EditingCommand
  readonly words: string
}

/** Keys that edit text, as in a shell's line editor. The key table goes before them. */
export const editingKeys: readonly EditingRow[] = [
  { keys: ['shift+enter', 'ctrl+j'], command: 'newline', words: 'break the line' },
  { keys: ['left', 'ctrl+b'], command: 'left', words: 'a character back' },
  { keys: ['right', 'ctrl+f'], command: 'right', words: 'a character on' },
  { keys: ['alt+b', 'alt+left', 'ctrl+left'], command: 'wordLeft', words: 'a word back' },
  { keys: ['alt+f', 'alt+right', 'ctrl+right'], command: 'wordRight', words: 'a word on' },
  { keys: ['home', 'ctrl+a'], command: 'lineStart', words: 'to the start of the line' },
  { keys: ['end', 'ctrl+e'], command: 'lineEnd', words: 'to the end of the line' },
  { keys: ['ctrl+home', 'alt+<'], command: 'textStart', words: 'to the start of the text' },
  { keys: ['ctrl+end', 'alt+>'], command: 'textEnd', words: 'to the end of the text' },
  { keys: ['up', 'ctrl+p'], command: 'up', words: 'a row up; from the first, to earlier messages' },
  { keys: ['down', 'ctrl+n'], command: 'down', words: 'a row down; from the last, to later messages' },
  { keys: ['backspace', 'shift+backspace', 'ctrl+h'], command: 'deleteBefore', words: 'delete the character before' },
  { keys: ['delete', 'ctrl+d'], command: 'deleteAfter', words: 'delete the character after' },
  { keys: ['ctrl+w'], command: 'killBlankWordBefore', words: 'cut the word before, up to a blank' },
  { keys: ['alt+backspace', 'ctrl+backspace'], command: 'killWordBefore', words: 'cut the word before' },
  { keys: ['alt+d', 'alt+delete', 'ctrl+delete'], command: 'killWordAfter', words: 'cut the word after' },
  { keys: ['ctrl+u'], command: 'killToLineStart', words: 'cut to the start of the line' },
  { keys: ['ctrl+k'], command: 'killToLineEnd', words: 'cut to the end of the line' },
  { keys: ['ctrl+y'], command: 'yank', words: 'put back what was cut' },
  { keys: ['ctrl+_', 'ctrl+shift+_', 'ctrl+shift+-', 'ctrl+/'], command: 'undo', words: 'undo' },
  { keys: ['alt+_', 'alt+z', 'ctrl+shift+z'], command: 'redo', words: 'redo what was undone' },
]
