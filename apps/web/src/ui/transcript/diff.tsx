import { highlightCode } from '@parley/presentation/highlight/highlight-code'
import { type DiffLine, parseDiff } from '@parley/presentation/text/diff'
import { memo } from 'react'
import { pathName } from '../../words/words.ts'
import { Scrolling } from './scrolling.tsx'
import { StyledLine } from './styled-line.tsx'

/** Diff of one file. `path`: file that decides the language of the lines. */
export const Diff = memo(function Diff({ diff, path }: { readonly diff: string; readonly path: string }) {
  const lines = parseDiff(diff).filter(({ kind, text }) => kind !== 'file' || text.startsWith('…'))
  return (
    <Scrolling className="diff" label={`Changes of ${path}`}>
      <DiffLines lines={lines} path={path} />
    </Scrolling>
  )
})

const marks: Partial<Record<DiffLine['kind'], string>> = { added: '+', removed: '-' }
const heard: Partial<Record<DiffLine['kind'], string>> = { added: 'added: ', removed: 'removed: ' }

/** Lines of a diff with their numbers, in the colours of their language. */
export function DiffLines({ lines, path }: { readonly lines: readonly DiffLine[]; readonly path: string }) {
  const coloured = highlightCode(
    lines.map(({ kind, text }) => (kind === 'hunk' || kind === 'file' || kind === 'note' ? '' : text)),
    /\.(\w+)$/.exec(pathName(path))?.[1] ?? pathName(path),
  )
  return lines.map((line, index) => {
    const { kind, text, oldLine, newLine } = line
    if (kind === 'hunk')
      return index === 0 ? null : (
        <div key={index} className="gap">
          ⋯
        </div>
      )
    if (kind === 'file' || kind === 'note')
      return (
        <div key={index} className={kind}>
          {text}
        </div>
      )
    return (
      <div key={index} className={`line ${kind}`}>
        <span className="number" aria-hidden="true">
          {newLine ?? oldLine ?? ''}
        </span>
        <span className="mark" aria-hidden="true">
          {marks[kind] ?? ' '}
        </span>
        <span className="heard">{heard[kind] ?? ''}</span>
        <span className="text">{coloured === null ? text : <StyledLine line={coloured[index] ?? [{ text }]} />}</span>
      </div>
    )
  })
}
