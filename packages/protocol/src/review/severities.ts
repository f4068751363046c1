/** Weights of findings, the gravest first. */
export const severities = ['critical', 'high', 'medium', 'low'] as const

export type Severity = (typeof severities)[number]

/** Tests if a finding weighs as much as another severity, or more. */
export function isAtLeast(severity: Severity, wanted: Severity): boolean {
  return severities.indexOf(severity) <= severities.indexOf(wanted)
}

/** Returns findings by severity; findings of one severity keep their order. */
export function gravestFirst<Weighed extends { readonly severity: Severity }>(
  findings: readonly Weighed[],
): readonly Weighed[] {
  return findings.toSorted((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity))
}
