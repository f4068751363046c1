import { findDanger } from './dangerous.ts'
import type { CommandFacts, CommandPart } from './facts.ts'
import { innerCommands } from './reached-commands.ts'

/** One command of several as if it stood alone, for showing what is said of each. The whole is judged by the whole. */
export function factsOfPart(whole: CommandFacts, part: CommandPart): CommandFacts {
  const seen = [part.argv, ...innerCommands(part.argv)]
  const touchesSecret = part.argv.includes(whole.touchesSecret ?? '') ? whole.touchesSecret : null
  return {
    ...whole,
    argv: part.argv,
    script: null,
    parts: [part],
    seen,
    dangerous: findDanger(seen, ''),
    knownSafe: part.knownSafe && touchesSecret === null,
    touchesSecret,
    reads: whole.reads.filter(({ path }) => part.argv.some((word) => names(word, path))),
  }
}

function names(word: string, path: string): boolean {
  const text = word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word
  return text !== '' && (path === text || path.endsWith(`/${text}`))
}
