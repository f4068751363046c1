import type { Finding, Severity } from '@parley/protocol'

const levels: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
}

/** Severity from 0 to 10; code hosts sort by it. */
const weights: Readonly<Record<Severity, string>> = { critical: '9.5', high: '8.0', medium: '5.0', low: '2.0' }

interface Reviewed {
  readonly findings: readonly Finding[]
  /** Changed files that the model was not given whole and did not look at. */
  readonly notLookedAt: readonly string[]
  /** Returns the path from the top of the repository for one that the model gives. */
  readonly fromTop: (file: string) => string
}

/** Returns a review in the Static Analysis Results Interchange Format, version 2.1.0. */
export function sarifOf({ findings, notLookedAt, fromTop }: Reviewed, version: string): string {
  const rules = [...new Set(findings.map(({ severity }) => severity))].map((severity) => ({
    id: `review/${severity}`,
    shortDescription: { text: `Finding of severity ${severity}` },
    properties: { 'security-severity': weights[severity] },
  }))
  const driver = { name: 'parley', version, rules }
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver },
        invocations: [invocationOf(notLookedAt.map(fromTop))],
        results: findings.map((finding) => resultOf({ ...finding, file: fromTop(finding.file) })),
      },
    ],
  }
  return JSON.stringify(log, null, 2)
}

/** Returns how the review went: it failed in part if the model has not seen all changes. */
function invocationOf(notLookedAt: readonly string[]) {
  const notifications = notLookedAt.map((file) => ({
    level: 'error',
    message: { text: 'The model was not given all of this file, and did not look at it.' },
    locations: [{ physicalLocation: { artifactLocation: { uri: relativeUri(file) } } }],
  }))
  const executionSuccessful = notLookedAt.length === 0
  return executionSuccessful
    ? { executionSuccessful }
    : { executionSuccessful, toolExecutionNotifications: notifications }
}

function resultOf({ severity, file, line, endLine, title, why, suggestion }: Finding) {
  const region =
    line === undefined ? {} : { region: { startLine: line, ...(endLine === undefined ? {} : { endLine }) } }
  const change = suggestion === undefined ? '' : `\n\nSuggested in place of\n${suggestion.old}\n\n${suggestion.new}`
  return {
    ruleId: `review/${severity}`,
    level: levels[severity],
    message: { text: `${title}\n\n${why}${change}` },
    locations: [{ physicalLocation: { artifactLocation: { uri: relativeUri(file) }, ...region } }],
  }
}

/** Returns a path of the model as a relative URI: never with a scheme, and without half characters. */
function relativeUri(path: string): string {
  return path.toWellFormed().split('/').map(encodeURIComponent).join('/')
}
