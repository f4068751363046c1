import type { Node } from 'web-tree-sitter'
import type { SeenCommand } from '../decision/facts.ts'
import { isShell, programOf } from '../decision/reached-commands.ts'
import { unescapeDouble } from './read-plain-script.ts'

export interface FoundCommand {
  readonly node: Node
  readonly words: SeenCommand
  /** Where each word stands, for comparison with another reading. */
  readonly ranges: readonly (readonly [start: number, end: number])[]
}

/** Every simple command of the tree of `source`, in its order, also inside substitutions, functions and errors. */
export function commandsIn(root: Node, source: string): FoundCommand[] {
  return root.descendantsOfType('command').flatMap((node) => (node === null ? [] : [foundCommand(node, source)]))
}

/** Texts that the script feeds to a shell as its input. */
export function fedScripts(commands: readonly FoundCommand[], source: string): string[] {
  return commands.flatMap(({ node, words }) => {
    if (!isShell(programOf(words))) return []
    const statement = node.parent?.type === 'redirected_statement' ? node.parent : node
    const hereDocuments = statement
      .descendantsOfType('heredoc_body')
      .map((body) => (body === null ? null : textOf(body, source)))
    const hereStrings = statement
      .descendantsOfType('herestring_redirect')
      .map((redirect) => (redirect?.firstNamedChild ? literalOf(redirect.firstNamedChild, source) : null))
    return [...hereDocuments, ...hereStrings].filter((text) => text !== null)
  })
}

function foundCommand(node: Node, source: string): FoundCommand {
  const words = node.namedChildren.flatMap((child) =>
    child === null || child.type === 'variable_assignment' || child.type.endsWith('_redirect') ? [] : [child],
  )
  return {
    node,
    words: words.map((word) => literalOf(word, source)),
    ranges: words.map((word) => [word.startIndex, word.endIndex]),
  }
}

/** A node's own `text` asks the parser for each piece, which is most of the cost of a long script. */
function textOf({ startIndex, endIndex }: Node, source: string): string {
  return source.slice(startIndex, endIndex)
}

/** What the shell makes of a word, null when that takes more than its text. */
function literalOf(node: Node, source: string): string | null {
  switch (node.type) {
    case 'command_name':
      return node.firstNamedChild === null
        ? unescapeBare(textOf(node, source))
        : literalOf(node.firstNamedChild, source)
    case 'word':
    case 'number':
      return unescapeBare(textOf(node, source))
    case 'raw_string':
      return textOf(node, source).slice(1, -1)
    case 'string':
      return node.namedChildren.every((child) => child?.type === 'string_content')
        ? unescapeDouble(textOf(node, source).slice(1, -1).replace(/\\\n/g, ''))
        : null
    case 'concatenation':
      return joined(node.namedChildren.map((child) => (child === null ? null : literalOf(child, source))))
    default:
      return null
  }
}

function joined(pieces: readonly (string | null)[]): string | null {
  return pieces.includes(null) ? null : pieces.join('')
}

function unescapeBare(text: string): string {
  return text.includes('\\') ? text.replace(/\\\n/g, '').replace(/\\(.)/gs, '$1') : text
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
