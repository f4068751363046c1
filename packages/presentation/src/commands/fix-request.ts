import type { ConversationState, Finding } from '@parley/protocol'
import { greatest } from '@parley/text'
import { findingPlace } from '../items/findings.ts'

type Fix = { readonly text: string } | { readonly problem: string }

/** Returns the message for the finding of the newest review that `/fix` names by its number. */
export function readFix(argument: string, window: ConversationState['window']): Fix {
  const findings = newestFindings(window)
  if (findings === null) return { problem: 'There is no review in this conversation yet: /review asks for one.' }
  const number = Number(argument)
  const finding = findings[number - 1]
  if (finding !== undefined) return { text: fixRequest(finding, number) }
  return {
    problem: `/fix N: the last review has ${findings.length === 0 ? 'no findings' : `findings 1 to ${findings.length}`}.`,
  }
}

/** Returns the findings of the newest review; null if no review is among the newest items. */
function newestFindings(window: ConversationState['window']): readonly Finding[] | null {
  for (const { item } of window.toReversed())
    if (item.type === 'toolCall' && item.findings !== undefined) return item.findings
  return null
}

/** Returns the message that has the model mend a finding; the change is asked about as any other. */
export function fixRequest(finding: Finding, number: number): string {
  const { title, why, suggestion } = finding
  const asked = `Mend finding ${number} of the review, and nothing else: ${findingPlace(finding)}: ${title}\n\n${why.trim()}`
  if (suggestion === undefined) return asked
  return `${asked}\n\nThe review suggests to replace\n\n${fenced(suggestion.old)}\n\nby\n\n${fenced(suggestion.new)}\n\nCheck that it still fits before you change it.`
}

/** Returns text in a fence that is longer than any in it. */
function fenced(text: string): string {
  const longest = greatest(
    [...text.matchAll(/`+/g)].map(([run]) => run.length),
    2,
  )
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`
}
