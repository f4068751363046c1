import { type Finding, gravestFirst, severities } from '@parley/protocol'
import * as z from 'zod'
import { defineTool } from '../contract/define-tool.ts'
import type { Tool } from '../contract/tool.ts'

const name = 'report_findings'
const maxFindings = 100

const line = z.number().int().min(1).optional()
const finding = z.object({
  severity: z
    .enum(severities)
    .describe('critical: data loss, a security hole or a crash in ordinary use; low: hardly matters.'),
  file: z.string().min(1).describe('Path, relative to the working directory.'),
  line: line.describe('First line to blame, from 1, in the file as it is after the change.'),
  end_line: line,
  title: z.string().min(1).describe('The fault in one line.'),
  why: z.string().min(1).describe('What goes wrong, when, and how it shows.'),
  suggestion: z
    .object({ old: z.string().min(1), new: z.string() })
    .optional()
    .describe(
      'A small change that mends it: exact text of the file, which is there once, and what stands in its place.',
    ),
})

const input = z.object({ findings: z.array(finding).max(maxFindings) })

export const reportFindingsTool: Tool = defineTool({
  name,
  description: 'Reports what a review found, all in one call; an empty list where nothing is wrong.',
  readOnly: true,
  input,
  offeredTo: ({ isReviewing }) => isReviewing,
  prepare: ({ findings: given }) => {
    const findings = gravestFirst(given.map(toFinding))
    const written = JSON.stringify({ findings: given })
    return {
      describe: () => ({
        type: 'toolCall',
        kind: 'think',
        title: titleOf(findings),
        text: findings.map(inWords).join('\n'),
        input: written,
        findings: [...findings],
      }),
      facts: () => Promise.resolve({ kind: 'other', tool: name, readOnly: true }),
      plan: () =>
        Promise.resolve({
          payload: written,
          run: () =>
            Promise.resolve({ status: 'completed', modelText: 'The user sees them. Sum up in two sentences.' }),
        }),
    }
  },
})

function toFinding({ severity, file, line: first, end_line: last, title, why, suggestion }: z.infer<typeof finding>) {
  return {
    severity,
    file,
    ...(first === undefined ? {} : { line: first }),
    ...(first === undefined || last === undefined || last <= first ? {} : { endLine: last }),
    title,
    why,
    ...(suggestion === undefined ? {} : { suggestion }),
  } satisfies Finding
}

function titleOf(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'Review: nothing found'
  const counts = severities.flatMap((severity) => {
    const count = findings.filter((found) => found.severity === severity).length
    return count === 0 ? [] : [`${count} ${severity}`]
  })
  return `Review: ${counts.join(', ')}`
}

/** Returns a finding for clients that show the text of calls only. */
function inWords({ severity, file, line: first, title, why }: Finding, at: number): string {
  const place = first === undefined ? file : `${file}:${first}`
  return `${at + 1}. [${severity}] ${place} ${title}\n   ${why.replaceAll('\n', '\n   ')}`
}
