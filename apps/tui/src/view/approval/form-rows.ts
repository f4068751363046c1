import { shownLine } from '@parley/presentation/text/control-characters'
import { type Line, narrowed, type Room, type Span } from '@parley/presentation/text/span'
import { truncateLine } from '@parley/presentation/text/truncate'
import type { FieldAnswer, FormField } from '@parley/protocol'
import { optionsOf } from '../../ui/fill-form.ts'
import type { FilledForm } from '../../ui/state/composing.ts'
import { wrapLine } from '../text/fit-rows.ts'
import { indented, marked } from '../text/gutter.ts'

export interface FormToFill {
  readonly fields: readonly FormField[]
  /** Form in progress; null before it is opened. */
  readonly form: FilledForm | null
  readonly maxRows: number
}

/**
 * Returns one row per field: earlier fields with their answers, later ones by name. Before the form is opened all are
 * listed, so that the number of questions is known before a yes.
 */
export function fieldRows({ fields, form, maxRows }: FormToFill, room: Room): readonly Line[] {
  const at = form?.at ?? 0
  const rows = fields.map((field, index) =>
    form !== null && index === at ? currentField(field, form, room) : [otherField(field, form, room)],
  )
  const top = rows.slice(0, at).flat()
  const rest = rows.slice(at).flat()
  const kept = Math.max(0, maxRows - rest.length)
  return [...top.slice(Math.max(0, top.length - kept)), ...rest].slice(0, Math.max(1, maxRows))
}

function otherField(field: FormField, form: FilledForm | null, room: Room): Line {
  const given = form?.answers[field.name]
  const value: readonly Span[] = given === undefined ? [] : [muted(': '), { text: valueText(field, given) }]
  const needed: readonly Span[] = field.required && form === null ? [muted(' (needed)')] : []
  return truncateLine([muted(`  ${shownLine(field.title)}`), ...value, ...needed], room)
}

function currentField(field: FormField, form: FilledForm, room: Room): readonly Line[] {
  const inner = narrowed(room, 2)
  const about = field.description === undefined ? [] : [muted(`  ${shownLine(field.description)}`)]
  const title: Line = [{ text: shownLine(field.title), bold: true, tone: 'accent' }, ...about]
  const problem = form.problem === null ? [] : wrapLine([{ text: shownLine(form.problem), tone: 'bad' }], inner)
  const rows = [...wrapLine(title, inner), ...optionRows(field, form, inner), ...problem]
  return marked({ text: '▸', tone: 'accent' }, rows)
}

function optionRows(field: FormField, { choice, ticked }: FilledForm, room: Room): readonly Line[] {
  const options = optionsOf(field) ?? []
  const takesSeveral = field.type === 'choices'
  const rows = options.flatMap(({ value, title }, index) => {
    const isChosen = index === choice
    const digit: Span = { text: index < 9 ? `${index + 1} ` : '  ', bold: true, tone: 'accent' }
    const box: readonly Span[] = takesSeveral ? [boxSpan(ticked.some((one) => one === value))] : []
    const name = { text: shownLine(title), ...(isChosen ? ({ bold: true } as const) : {}) }
    const row = truncateLine([digit, ...box, name], narrowed(room, 2))
    return isChosen ? marked({ text: takesSeveral ? '▸' : '●', tone: 'accent' }, [row]) : indented([row])
  })
  return takesSeveral ? [...rows, ...indented([[muted('Space ticks · Enter goes on')]])] : rows
}

function boxSpan(isTicked: boolean): Span {
  return isTicked ? { text: '[x] ', bold: true, tone: 'good' } : { text: '[ ] ', tone: 'muted' }
}

function valueText(field: FormField, given: FieldAnswer): string {
  if (Array.isArray(given)) return given.length === 0 ? 'none' : given.map((one) => titleOf(field, one)).join(', ')
  return titleOf(field, given)
}

function titleOf(field: FormField, given: Exclude<FieldAnswer, string[]>): string {
  return shownLine(optionsOf(field)?.find(({ value }) => value === given)?.title ?? String(given))
}

function muted(text: string): Span {
  return { text, tone: 'muted' }
}
