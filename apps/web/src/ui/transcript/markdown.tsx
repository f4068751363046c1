import { highlightCode } from '@parley/presentation/highlight/highlight-code'
import { inlineLines, knownToken, parseMarkdown } from '@parley/presentation/markdown/inline'
import { stripEffects } from '@parley/presentation/text/control-characters'
import type { MarkedToken, Tokens } from 'marked'
import { createElement, memo } from 'react'
import { Scrolling } from './scrolling.tsx'
import { StyledLine } from './styled-line.tsx'

/** Markdown of the model: no HTML of it becomes an element, and no image is loaded. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  return <div className="markdown">{blocksOf(parseMarkdown(text))}</div>
})

function blocksOf(tokens: readonly MarkedToken[]) {
  return tokens.map((token, index) => <Block key={index} token={token} />)
}

function Block({ token }: { readonly token: MarkedToken }) {
  switch (token.type) {
    case 'space':
    case 'checkbox':
      return null
    case 'heading':
      // Headings of an answer rank below the page's own headings.
      return createElement(`h${Math.min(6, token.depth + 1)}`, null, <Inline tokens={knownToken(token.tokens)} />)
    case 'code':
      return <Code code={token.text} language={token.lang?.split(/\s/)[0] ?? ''} />
    case 'hr':
      return <hr />
    case 'blockquote':
      return <blockquote>{blocksOf(knownToken(token.tokens))}</blockquote>
    case 'list':
      return <List list={token} />
    case 'table':
      return <Table table={token} />
    case 'paragraph':
      return (
        <p>
          <Inline tokens={knownToken(token.tokens)} />
        </p>
      )
    default:
      return (
        <div>
          <Inline tokens={[token]} />
        </div>
      )
  }
}

function Inline({ tokens }: { readonly tokens: readonly MarkedToken[] }) {
  return inlineLines(tokens, {}).map((line, index) => (
    <span key={index}>
      {index === 0 ? null : <br />}
      <StyledLine line={line} />
    </span>
  ))
}

function Code({ code, language }: { readonly code: string; readonly language: string }) {
  const lines = stripEffects(code).split('\n')
  const coloured = highlightCode(lines, language)
  return (
    <Scrolling className="code" label={language === '' ? 'Code' : `Code, ${stripEffects(language)}`}>
      <pre>
        <code>
          {coloured === null
            ? lines.join('\n')
            : coloured.map((line, index) => (
                <span key={index}>
                  <StyledLine line={line} />
                  {'\n'}
                </span>
              ))}
        </code>
      </pre>
    </Scrolling>
  )
}

function List({ list }: { readonly list: Tokens.List }) {
  const items = list.items.map((item, index) => (
    <li key={index} className={item.task ? 'task' : undefined}>
      {item.task ? <input type="checkbox" checked={item.checked === true} disabled aria-label="task" /> : null}
      {blocksOf(knownToken(item.tokens))}
    </li>
  ))
  return list.ordered ? <ol start={Number(list.start)}>{items}</ol> : <ul>{items}</ul>
}

function Table({ table }: { readonly table: Tokens.Table }) {
  const cells = (row: readonly Tokens.TableCell[], Cell: 'th' | 'td') =>
    row.map((cell, index) => (
      <Cell key={index} className={alignment(cell)}>
        <Inline tokens={knownToken(cell.tokens)} />
      </Cell>
    ))
  return (
    <Scrolling className="table" label="Table">
      <table>
        <thead>
          <tr>{cells(table.header, 'th')}</tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>{cells(row, 'td')}</tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
  )
}

/** Returns the class of a cell: the policy of the page admits no style of an element. */
function alignment({ align }: Tokens.TableCell): string | undefined {
  return align === null ? undefined : `to-${align}`
}
