import { quotedWord } from '../../rules/rules.ts'
import { type DescribedFact, describeList } from '../kind.ts'
import { findDanger } from './dangerous.ts'
import type { CommandFacts, CommandPart } from './facts.ts'
import { innerCommands } from './reached-commands.ts'

export function describeCommand(facts: CommandFacts): readonly DescribedFact[] {
  const { understood, notUnderstoodBecause, dangerous, touchesSecret, escalation, network, background } = facts
  const because = notUnderstoodBecause === undefined ? '' : `: ${notUnderstoodBecause}`
  return [
    { about: 'folder', text: facts.cwd },
    ...(understood
      ? describeList('commands', facts.parts.map(describePart))
      : [{ about: 'commands', text: `cannot be told for certain${because}` }]),
    ...(dangerous === null ? [] : [{ about: 'danger', text: dangerous }]),
    ...(touchesSecret === null ? [] : [{ about: 'secrets', text: `${touchesSecret} is where secrets are kept` }]),
    ...(escalation === null
      ? []
      : [{ about: 'asked for', text: `to run outside the sandbox. In the model's words: ${escalation.reason}` }]),
    ...(network === undefined
      ? []
      : [{ about: 'asked for', text: `the network. In the model's words: ${network.reason}` }]),
    ...(background ? [{ about: 'background', text: 'it goes on after the call, without a time limit' }] : []),
    ...describeList(
      'reads',
      facts.reads.map(({ real, recursive }) => (recursive ? `${real} and all below it` : real)),
    ),
  ]
}

function describePart({ argv, programPath, programInsideRoots, knownSafe }: CommandPart): string {
  const missing = programInsideRoots ? 'which file that is depends on the folder' : 'no file of that name is found'
  const path = programPath ?? missing
  const shadow = programPath !== null && programInsideRoots ? ', a file of the writable folders' : ''
  return `${argv.map(quotedWord).join(' ')} (${path}${shadow}; ${knownSafe ? 'only looks' : 'not known to be safe'})`
}

/** Returns the facts of one part as if it stood alone, to explain it. Decisions use the facts of the whole command. */
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
