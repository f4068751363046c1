import type { Finding, Severity } from '@parley/protocol'

const levels: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
}

/** Severity as code hosts sort by it, of 10. */
const weights: Readonly<Record<Severity, string>> = { critical: '9.5', high: '8.0', medium: '5.0', low: '2.0' }

/** Returns findings in the Static Analysis Results Interchange Format, version 2.1.0. */
export function sarifOf(findings: readonly Finding[], version: string): string {
  const rules = [...new Set(findings.map(({ severity }) => severity))].map((severity) => ({
    id: `review/${severity}`,
    shortDescription: { text: `Finding of severity ${severity}` },
    properties: { 'security-severity': weights[severity] },
  }))
  const driver = { name: 'parley', version, rules }
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, results: findings.map(resultOf) }],
  }
  return JSON.stringify(log, null, 2)
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

/** Returns a path as a relative URI, whatever the model wrote: none with a scheme, and no half characters. */
function relativeUri(path: string): string {
  return path.toWellFormed().split('/').map(encodeURIComponent).join('/')
}
