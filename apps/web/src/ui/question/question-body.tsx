import { reasonWords } from '@parley/presentation/question/reasons'
import { type DiffLine, parseDiff } from '@parley/presentation/text/diff'
import type { Approval } from '@parley/protocol'
import { type QuestionWords, showHidden, uncheckedWords } from '@parley/protocol/question'
import type { ReactNode } from 'react'
import { DiffLines } from '../transcript/diff.tsx'
import { Part } from './part.tsx'

interface BodyProps {
  readonly approval: Approval
  readonly words: QuestionWords
  readonly danger: string | null
  /** The form of the question. */
  readonly children?: ReactNode
}

/** All that a yes would allow: warnings, then the command, all diffs or the form, then place and limits. */
export function QuestionBody({ approval, words, danger, children }: BodyProps) {
  const warnings = [...(danger === null ? [] : [showHidden(danger)]), ...words.warnings]
  const lines = [...(words.title === null ? [] : [words.title]), ...words.files]
  return (
    <>
      {warnings.map((warning) => (
        <Part key={warning}>
          <p className="t-bad bold">⚠ {warning}</p>
        </Part>
      ))}
      {isWholeInForm(approval) ? null : (
        <>
          {lines.map((line) => (
            <Part key={line}>
              <p className="bold">{line}</p>
            </Part>
          ))}
          {approval.kind === 'patch' ? <Diffs detail={words.detail} /> : <Detail text={words.detail} />}
          <Facts words={words} reason={reasonWords(approval)} />
        </>
      )}
      {children}
    </>
  )
}

interface FactsProps extends Pick<BodyProps, 'words'> {
  readonly reason: string
}

function Facts({ words, reason }: FactsProps) {
  const place = words.environment === null ? words.folder : `${words.folder} on ${words.environment}`
  return (
    <Part>
      <dl>
        <Fact name="in">
          <code>{place}</code>
        </Fact>
        {words.limits.length === 0 ? null : (
          <Fact name="limits">
            {words.limits.map(({ text, isMore }, index) => (
              <span key={text} className={isMore ? 't-bad bold' : ''}>
                {index === 0 ? '' : ' · '}
                {text}
              </span>
            ))}
          </Fact>
        )}
        {words.variables === null ? null : <Fact name="variables">{words.variables}</Fact>}
        {words.background === null ? null : <Fact name="how">{words.background}</Fact>}
        {words.again === null ? null : <Fact name="again">{words.again}</Fact>}
        <Fact name={reason === '' ? 'rule' : 'why'}>
          {showHidden(reason)} <span className="muted">{words.rule}</span>
        </Fact>
        {words.justification === null ? null : (
          <Fact name={uncheckedWords.replace(/: $/, '')}>{words.justification}</Fact>
        )}
      </dl>
    </Part>
  )
}

/** Tests for a question of the model; its form has every word of it. */
function isWholeInForm({ kind, form }: Approval): boolean {
  return kind === 'question' && form !== undefined
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** The exact lines that a permanent yes would add. */
export function RuleBody({ approval: { always } }: Pick<BodyProps, 'approval'>) {
  return (
    <>
      <Part>
        <p>
          This adds to <code>{showHidden(always?.file ?? '')}</code>:
        </p>
      </Part>
      <Detail text={showHidden(always?.rule.trim() ?? '')} />
    </>
  )
}

/** Lines and characters of a part: few enough that both of its edges on the screen mean all of it was. */
const partLines = 8
const partCharacters = 400

function Detail({ text }: { readonly text: string }) {
  return (
    <div className="detail">
      {partsOf(text.split('\n').flatMap(cutLine), (line) => line.length).map((lines, index) => (
        <Part key={index}>
          <pre>{lines.join('\n')}</pre>
        </Part>
      ))}
    </div>
  )
}

/** Cuts a line that is longer than a part; the pieces stand below each other, as they would wrapped. */
function cutLine(line: string): readonly string[] {
  const pieces: string[] = []
  for (let at = 0; at < line.length; at += partCharacters) pieces.push(line.slice(at, at + partCharacters))
  return pieces.length === 0 ? [''] : pieces
}

function Diffs({ detail }: { readonly detail: string }) {
  return (
    <div className="diff asked">
      {partsOf<DiffLine>(parseDiff(detail), ({ text }) => text.length).map((lines, index) => (
        <Part key={index}>
          <DiffLines lines={lines} path="" />
        </Part>
      ))}
    </div>
  )
}

/** Splits lines into parts of limited lines and characters. */
function partsOf<Value>(values: readonly Value[], lengthOf: (value: Value) => number): readonly (readonly Value[])[] {
  const parts: Value[][] = []
  let characters = 0
  for (const value of values) {
    const last = parts.at(-1)
    characters += lengthOf(value)
    if (last === undefined || last.length >= partLines || characters > partCharacters) {
      parts.push([value])
      characters = lengthOf(value)
    } else last.push(value)
  }
  return parts
}
