import { joinShellWords, splitShellWords } from '@parley/text'

/** Text of a command with its arguments filled in, and the commands and files that it refers to. */
export interface FilledCommand {
  readonly text: string
  /** Command lines of its `!` parts, in order. */
  readonly commands: readonly string[]
  /** Words after `@`, in order. Some may be no files. */
  readonly paths: readonly string[]
  /** First `!` part in which an argument would not stay one word of the shell, or null. Nothing may be run then. */
  readonly unsafe: string | null
}

const parts = /!`([^`\n]+)`|(?<![^\s(])@([^\s`,;:!?()]+)|\$(ARGUMENTS\b|[1-9](?!\d))/g

/**
 * Fills in a command: `$ARGUMENTS` and `$1` to `$9`, quoted for a shell inside of `!` parts. Unused arguments follow at
 * its end; what arguments contain is never a part.
 */
export function fillCommand(template: string, given: string): FilledCommand {
  const all = given.trim()
  const words = splitShellWords(all)
  const commands: string[] = []
  const paths: string[] = []
  let isTaken = false
  let unsafe: string | null = null
  const filledIn = (name: string) => {
    isTaken = true
    return name === 'ARGUMENTS' ? all : (words[Number(name) - 1] ?? '')
  }
  const inShell = (line: string) =>
    line.replace(argument, (_, name: string, at: number) => {
      isTaken = true
      const chosen = name === 'ARGUMENTS' ? words : words.slice(Number(name) - 1, Number(name))
      const quoted = joinShellWords(chosen)
      if (quoted !== chosen.join(' ') && !isBare(line.slice(0, at))) unsafe ??= line
      return quoted
    })
  const text = template.replace(parts, (_, command?: string, path?: string, name = '') => {
    if (command !== undefined) {
      commands.push(inShell(command))
      return `\`${commands.at(-1)}\``
    }
    if (path === undefined) return filledIn(name)
    const filled = path.replace(argument, (_whole, word: string) => filledIn(word)).replace(/\.$/, '')
    paths.push(filled)
    return path.endsWith('.') ? `@${filled}.` : `@${filled}`
  })
  const rest = isTaken || all === '' ? '' : `\n\nArguments: ${all}`
  return { text: `${text.trim()}${rest}`, commands, paths: paths.filter((path) => path !== ''), unsafe }
}

/**
 * Tests if a quoted word keeps its meaning behind the beginning of a shell line: earlier quotes are closed and simple,
 * without escape, comment or arithmetic.
 */
function isBare(before: string): boolean {
  const outside = before.replace(/'[^']*'|"[^"\\$]*"/g, 'Q')
  return !/['"\\#]|\$Q|\(\(|\$\[/.test(outside)
}

const argument = /\$(ARGUMENTS\b|[1-9](?!\d))/g
