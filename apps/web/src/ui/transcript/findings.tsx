import { findingPlace, severityTones, suggestionLines } from '@parley/presentation/items/findings'
import { stripEffects, visibleLine } from '@parley/presentation/text/control-characters'
import type { DiffLine } from '@parley/presentation/text/diff'
import type { Finding } from '@parley/protocol'
import { DiffLines } from './diff.tsx'
import { Scrolling } from './scrolling.tsx'

/** List of a review's findings, the gravest first. */
export function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <ol className="findings">
      {findings.map((finding, at) => (
        // A report never changes.
        <li key={at}>
          <p>
            <span className={`t-${severityTones[finding.severity]}`}>{finding.severity}</span>{' '}
            <code>{visibleLine(findingPlace(finding))}</code> <strong>{visibleLine(finding.title)}</strong>
          </p>
          <p className="muted">{stripEffects(finding.why).trim()}</p>
          <Suggestion lines={suggestionLines(finding)} path={finding.file} />
        </li>
      ))}
    </ol>
  )
}

function Suggestion({ lines, path }: { readonly lines: readonly DiffLine[]; readonly path: string }) {
  if (lines.length === 0) return null
  return (
    <Scrolling className="diff" label={`Suggested change of ${path}`}>
      <DiffLines lines={lines} path={path} />
    </Scrolling>
  )
}
