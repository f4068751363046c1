import { entriesOf, type TranscriptEntry } from '@parley/presentation/items/entries'
import { type Exported, missingWords } from '@parley/presentation/items/exported'
import { showEffects } from '@parley/presentation/text/control-characters'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { AboutConversation } from '../ui/about-conversation.tsx'
import { LastTurn } from '../ui/last-turn.tsx'
import { Entries } from '../ui/transcript/entries.tsx'
import { OpenPlan } from '../ui/working.tsx'

/** Style sheet of the page, and its hash, which the document's policy admits. */
declare const PARLEY_PAGE_STYLE: string
declare const PARLEY_PAGE_STYLE_HASH: string

/** Entries that are rendered at once; a long conversation does not fit in one string. */
const batchSize = 100

/** Writes a conversation as a document that shows it as the page does, without scripts, in pieces. */
export function* frozenPage(exported: Exported): Generator<string> {
  yield headOf(exported)
  yield `<body class="frozen">${html(<Header {...exported} />)}<main class="transcript"><ol>`
  for (const batch of batches(entriesOf(exported.items))) yield html(<Entries entries={batch} />)
  yield `</ol></main>${html(<End {...exported} />)}</body></html>\n`
}

function* batches(entries: readonly TranscriptEntry[]): Generator<readonly TranscriptEntry[]> {
  for (let at = 0; at < entries.length; at += batchSize) yield entries.slice(at, at + batchSize)
}

function html(node: ReactNode): string {
  return renderToStaticMarkup(node)
}

const policy = [
  "default-src 'none'",
  `style-src '${PARLEY_PAGE_STYLE_HASH}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

function headOf({ core: { meta }, program }: Exported): string {
  const head = html(
    <head>
      <meta charSet="utf-8" />
      <meta httpEquiv="Content-Security-Policy" content={policy} />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="referrer" content="no-referrer" />
      <meta name="generator" content={program} />
      <title>{showEffects(meta.name ?? (meta.title || 'Conversation'))}</title>
    </head>,
  )
  // React would escape the style, and its hash would be another.
  return `<!doctype html>\n<html lang="en">${head.replace('</head>', () => `<style>${PARLEY_PAGE_STYLE}</style></head>`)}`
}

function Header({ core, program, times }: Exported) {
  return (
    <header>
      <AboutConversation core={core} />
      <p className="muted">
        Begun {times.begun}, written {times.written} by {program}
      </p>
    </header>
  )
}

function End({ core, items, damagedEvents }: Pick<Exported, 'core' | 'items' | 'damagedEvents'>) {
  return (
    <footer>
      <OpenPlan plan={core.plan} />
      {missingWords({ core, damagedEvents }).map((words) => (
        <p key={words} className="muted">
          {words}
        </p>
      ))}
      {core.turn === null ? <LastTurn core={core} items={items} ending={null} /> : null}
    </footer>
  )
}
