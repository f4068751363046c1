import type { CommandFacts, Facts, PatchFacts, ReadFacts } from './facts.ts'
import { quotedWord } from './quoted-word.ts'

export interface DescribedFact {
  readonly about: string
  readonly text: string
}

const maxShown = 12

/** What policy knew of a call, in words for people. */
export function describeFacts(facts: Facts): readonly DescribedFact[] {
  switch (facts.kind) {
    case 'command':
      return describeCommand(facts)
    case 'patch':
      return shortened('changes', facts.files.map(describeFile))
    case 'read':
      return shortened('reads', facts.paths.map(describeRead))
    case 'mcp':
      return [
        {
          about: 'asks',
          text: `the MCP server ${facts.server} for ${facts.name}${facts.readOnly ? ', which only looks' : ''}${facts.confined === undefined ? '' : '; it runs inside the sandbox'}`,
        },
      ]
    case 'other':
      return [
        {
          about: 'tool',
          text: `${facts.tool}, which ${facts.readOnly ? 'changes nothing outside the conversation' : 'may do more than look'}`,
        },
      ]
  }
}

function describeCommand(facts: CommandFacts): readonly DescribedFact[] {
  const { understood, notUnderstoodBecause, dangerous, touchesSecret, escalation, network, background } = facts
  const because = notUnderstoodBecause === undefined ? '' : `: ${notUnderstoodBecause}`
  return [
    { about: 'folder', text: facts.cwd },
    ...(understood
      ? shortened('commands', facts.parts.map(describePart))
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
    ...shortened(
      'reads',
      facts.reads.map(({ real, recursive }) => (recursive ? `${real} and all below it` : real)),
    ),
  ]
}

function describePart({ argv, programPath, programInsideRoots, knownSafe }: CommandFacts['parts'][number]): string {
  const missing = programInsideRoots ? 'which file that is depends on the folder' : 'no file of that name is found'
  const place = programPath ?? missing
  const shadow = programPath !== null && programInsideRoots ? ', a file of the writable folders' : ''
  return `${argv.map(quotedWord).join(' ')} (${place}${shadow}; ${knownSafe ? 'only looks' : 'not known to be safe'})`
}

function describeFile({ real, insideRoots, protectedBy }: PatchFacts['files'][number]): string {
  if (protectedBy !== null) return `${real}, which ${protectedBy}`
  return `${real}, ${insideRoots ? 'inside the writable folders' : 'outside the writable folders'}`
}

function describeRead({ real, recursive, insideRoots, secret }: ReadFacts['paths'][number]): string {
  const place = secret ? 'where secrets are kept' : insideRoots ? 'inside the folders' : 'outside the folders'
  return `${real}${recursive ? ' and all below it' : ''}, ${place}`
}

function shortened(about: string, texts: readonly string[]): readonly DescribedFact[] {
  const shown = texts.slice(0, maxShown).map((text) => ({ about, text }))
  return texts.length <= maxShown ? shown : [...shown, { about, text: `and ${texts.length - maxShown} more` }]
}
