import type { Node } from 'web-tree-sitter'
import type { SeenCommand } from '../core/policy/facts.ts'
import { isShell, programOf } from '../core/policy/reached-commands.ts'
import { unescapeDouble } from './read-plain-script.ts'

export interface FoundCommand {
  readonly words: SeenCommand
  /** Where each word stands, for comparison with another reading. */
  readonly ranges: readonly (readonly [start: number, end: number])[]
}

/** Every simple command of the tree, in the order of the text, also inside substitutions, functions and errors. */
export function commandsIn(root: Node): FoundCommand[] {
  return root.descendantsOfType('command').flatMap((node) => (node === null ? [] : [foundCommand(node)]))
}

/** Texts that the script feeds to a shell as its input. */
export function fedScripts(root: Node): string[] {
  return root.descendantsOfType('command').flatMap((command) => {
    if (command === null || !isShell(programOf(foundCommand(command).words))) return []
    const statement = command.parent?.type === 'redirected_statement' ? command.parent : command
    const hereDocuments = statement.descendantsOfType('heredoc_body').map((body) => body?.text ?? null)
    const hereStrings = statement
      .descendantsOfType('herestring_redirect')
      .map((redirect) => (redirect?.firstNamedChild ? literalOf(redirect.firstNamedChild) : null))
    return [...hereDocuments, ...hereStrings].filter((text) => text !== null)
  })
}

function foundCommand(node: Node): FoundCommand {
  const words = node.namedChildren.flatMap((child) =>
    child === null || child.type === 'variable_assignment' || child.type.endsWith('_redirect') ? [] : [child],
  )
  return {
    words: words.map(literalOf),
    ranges: words.map((word) => [word.startIndex, word.endIndex]),
  }
}

/** What the shell makes of a word, null when that takes more than its text. */
function literalOf(node: Node): string | null {
  switch (node.type) {
    case 'command_name':
      return node.firstNamedChild === null ? unescapeBare(node.text) : literalOf(node.firstNamedChild)
    case 'word':
    case 'number':
      return unescapeBare(node.text)
    case 'raw_string':
      return node.text.slice(1, -1)
    case 'string':
      return node.namedChildren.every((child) => child?.type === 'string_content')
        ? unescapeDouble(node.text.slice(1, -1).replace(/\\\n/g, ''))
        : null
    case 'concatenation':
      return joined(node.namedChildren.map((child) => (child === null ? null : literalOf(child))))
    default:
      return null
  }
}

function joined(pieces: readonly (string | null)[]): string | null {
  return pieces.includes(null) ? null : pieces.join('')
}

function unescapeBare(text: string): string {
  return text.replace(/\\\n/g, '').replace(/\\(.)/gs, '$1')
}

// More than any system takes as one argument.
const maxLooseLength = 1024 * 1024

/** For text that no grammar fits: every stretch between separators is taken for a command, quotes ignored. */
export function looseCommands(text: string): SeenCommand[] {
  return text
    .slice(0, maxLooseLength)
    .replace(/\\\n/g, '')
    .split(/[;&|\n(){}`]/)
    .map((stretch) => stretch.replace(/["'\\$]/g, '').split(/[ \t\r<>]+/))
    .map((words) => words.filter((word) => word !== ''))
    .filter((words) => words.length > 0)
}
