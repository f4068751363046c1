import type { Node } from 'web-tree-sitter'
import type { SeenCommand } from '../decision/kinds/command/facts.ts'
import { isShell, programOf } from '../decision/kinds/command/reached-commands.ts'
import { unescapeDouble } from './read-plain-script.ts'

export interface TreeCommand {
  readonly node: Node
  readonly words: SeenCommand
  /** Position of each word, for comparison with the plain reading. */
  readonly ranges: readonly (readonly [start: number, end: number])[]
}

/** Returns every simple command of the tree in order, also inside of substitutions, functions and errors. */
export function commandsIn(root: Node, source: string): TreeCommand[] {
  return root.descendantsOfType('command').flatMap((node) => (node === null ? [] : [treeCommand(node, source)]))
}

/** Returns the here-documents and here-strings that a shell reads as its script. */
export function fedScripts(commands: readonly TreeCommand[], source: string): string[] {
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

function treeCommand(node: Node, source: string): TreeCommand {
  const words = node.namedChildren.flatMap((child) =>
    child === null || child.type === 'variable_assignment' || child.type.endsWith('_redirect') ? [] : [child],
  )
  return {
    node,
    words: words.map((word) => literalOf(word, source)),
    ranges: words.map((word) => [word.startIndex, word.endIndex]),
  }
}

/** Slices the source, since `node.text` asks the parser for each piece and dominates the cost of a long script. */
function textOf({ startIndex, endIndex }: Node, source: string): string {
  return source.slice(startIndex, endIndex)
}

/** Returns the value of a word; null when only the shell can expand it. */
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

// Longer than any system accepts as one argument.
const maxLooseLength = 1024 * 1024

/** Takes every stretch between separators for a command, for text that does not parse. Ignores quotes. */
export function looseCommands(text: string): SeenCommand[] {
  return text
    .slice(0, maxLooseLength)
    .replace(/\\\n/g, '')
    .split(/[;&|\n(){}`]/)
    .map((stretch) => stretch.replace(/["'\\$]/g, '').split(/[ \t\r<>]+/))
    .map((words) => words.filter((word) => word !== ''))
    .filter((words) => words.length > 0)
}
