import type { Line, Span } from '@parley/presentation/text/span'

/** Text in the roles that the terminal gives it, as elements. */
export function StyledLine({ line }: { readonly line: Line }) {
  return line.map((span, index) => <StyledSpan key={index} span={span} />)
}

const webScheme = /^(?:https?|mailto):/i

function StyledSpan({ span }: { readonly span: Span }) {
  const { text, href } = span
  if (href !== undefined && webScheme.test(href))
    return (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" className={classOf(span)}>
        {text}
      </a>
    )
  if (span.code === true) return <code className={classOf(span)}>{text}</code>
  const classes = classOf(span)
  return classes === '' ? text : <span className={classes}>{text}</span>
}

function classOf({ tone, bold, italic, strike, dim }: Span): string {
  return [
    tone === undefined ? '' : `t-${tone}`,
    bold === true ? 'bold' : '',
    italic === true ? 'italic' : '',
    strike === true ? 'strike' : '',
    dim === true ? 'muted' : '',
  ]
    .filter((name) => name !== '')
    .join(' ')
}
