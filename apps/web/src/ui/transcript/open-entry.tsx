import { stripEffects } from '@parley/presentation/text/control-characters'
import { isCall, type OpenItem } from '@parley/protocol'
import { CallHead, OutputText } from './call-entry.tsx'
import { Markdown } from './markdown.tsx'

const tailLines = 12

/** An item that is not finished: an answer as it comes, a call that waits or runs. */
export function OpenEntry({ open }: { readonly open: OpenItem }) {
  const { item, output, progress, executionStarted } = open
  // A call that waits for an answer is shown by its question.
  if (isCall(item) && !executionStarted) return null
  switch (item.type) {
    case 'agentMessage':
      return (
        <article className="answer" aria-label="Answer" aria-busy="true">
          <Markdown text={item.text} />
        </article>
      )
    case 'reasoning':
      return <p className="muted reasoning">{stripEffects(item.text).split('\n').slice(-2).join('\n')}</p>
    case 'commandExecution':
    case 'shellCommand':
    case 'toolCall':
    case 'fileChange':
      return (
        <div className="call open">
          <CallHead item={item} />
          <OutputText text={lastLines(stripEffects(progress?.tail ?? output))} isOpen />
        </div>
      )
    default:
      return null
  }
}

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-tailLines).join('\n')
}
