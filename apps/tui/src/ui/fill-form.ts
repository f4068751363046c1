import { clear, expanded, replace } from '@parley/presentation/composer/composer'
import type {
  Answers,
  Approval,
  ApprovalId,
  ConversationCore,
  ConversationState,
  FieldAnswer,
  FormField,
} from '@parley/protocol'
import { chord } from './composer/command.ts'
import type { KeyEvent } from './keys/key-event.ts'
import { stepTo, type UiAction, type UiStep } from './state/actions.ts'
import { type FilledForm, message } from './state/composing.ts'
import { addNote, changePart, type UiState } from './state/ui-state.ts'

/** Opens the first field of an elicitation; one without fields is approved at once. */
export function openForm(ui: UiState, { id, form }: Approval): UiStep {
  const [first] = form?.fields ?? []
  if (first === undefined) {
    const intent = { kind: 'decide', approvalId: id, decision: 'approved', answers: {} } as const
    return stepTo(changePart(ui, 'answering', { answeredApproval: id }), intent)
  }
  return stepTo(enterField(ui, { approvalId: id, at: 0, answers: {} }, first))
}

/** Reopens the form at the rejected field with all answers; text written since takes precedence. */
export function reopenForm(
  ui: UiState,
  { approvalId, answers, field, problem }: UiAction & { kind: 'formRejected' },
  state: ConversationState | null,
): UiState {
  const fields = state?.core.approvals[approvalId]?.form?.fields ?? []
  const at = fields.findIndex(({ name }) => name === field)
  const found = fields[at]
  if (found === undefined || ui.composing.composer.text !== '') return addNote(ui, 'warning', problem)
  const reopened = enterField(ui, { approvalId, at, answers }, found)
  return showForm(reopened, { ...atField({ approvalId, at, answers }, found), problem })
}

export function showForm(ui: UiState, form: FilledForm): UiState {
  return changePart(ui, 'composing', { purpose: { kind: 'form', form } })
}

/** Handles keys of an open form; null for keys that edit the text of a field. */
export function pressInForm(ui: UiState, event: KeyEvent, state: ConversationState | null): UiStep | null {
  if (ui.composing.purpose.kind !== 'form') return null
  const { form } = ui.composing.purpose
  const fields = fieldsOf(state, form)
  const field = fields[form.at]
  if (field === undefined) return stepTo(leaveForm(ui))
  // Without a server the answers could not be delivered: the form stays open.
  if (event.kind === 'key' && chord(event) === 'enter')
    return ui.connection.link.kind === 'up' ? takeField(ui, form, fields) : stepTo(ui)
  const options = optionsOf(field)
  if (options === null) return null
  const choice = choose(form.choice, options.length, event)
  const ticked = field.type === 'choices' ? tick({ ...form, choice }, options, event) : form.ticked
  return stepTo(showForm(ui, { ...form, choice, ticked, problem: null }))
}

/** Ticks the option at the choice by a blank or its digit, or takes the tick away. */
function tick(
  { choice, ticked }: Pick<FilledForm, 'choice' | 'ticked'>,
  options: readonly FormOption[],
  event: KeyEvent,
): readonly string[] {
  const value = options[choice]?.value
  if (event.kind !== 'text' || !/^[\d ]$/.test(event.text) || typeof value !== 'string') return ticked
  // A digit beyond the options moves nothing, and so ticks nothing.
  if (event.text !== ' ' && Number(event.text) !== choice + 1) return ticked
  return toggled(ticked, value)
}

/** Returns the values with one more, or without it. */
function toggled(values: readonly string[], value: string): readonly string[] {
  return values.includes(value) ? values.filter((one) => one !== value) : [...values, value]
}

/** Returns to the previous field, and from the first one to the approval. */
export function previousField(ui: UiState, form: FilledForm, state: ConversationState | null): UiState {
  const before = fieldsOf(state, form)[form.at - 1]
  return before === undefined ? leaveForm(ui) : enterField(ui, { ...form, at: form.at - 1 }, before)
}

/** Closes the form and clears the field's text, which undo restores. */
function leaveForm(ui: UiState): UiState {
  return changePart(ui, 'composing', { purpose: message, composer: clear(ui.composing.composer) })
}

/** Ends a note, a form or a change of a message that has no approval or message any more. */
export function followPurpose(ui: UiState, { approvals, inbox }: ConversationCore): UiState {
  const { purpose } = ui.composing
  const isPending = (id: ApprovalId) => approvals[id]?.state === 'pending'
  switch (purpose.kind) {
    case 'message':
      return ui
    case 'note':
      return isPending(purpose.approvalId) ? ui : changePart(ui, 'composing', { purpose: message })
    case 'form':
      return isPending(purpose.form.approvalId) ? ui : leaveForm(ui)
    case 'edit': {
      const isQueued = inbox.some(({ messageId }) => messageId === purpose.messageId)
      return isQueued ? ui : changePart(ui, 'composing', { purpose: message })
    }
  }
}

export function fieldsOf(state: ConversationState | null, { approvalId }: FilledForm): readonly FormField[] {
  return state?.core.approvals[approvalId]?.form?.fields ?? []
}

function takeField(ui: UiState, form: FilledForm, fields: readonly FormField[]): UiStep {
  const field = fields[form.at]
  if (field === undefined) return stepTo(ui)
  const read = readField(field, { ...form, text: expanded(ui.composing.composer) })
  if ('problem' in read) return stepTo(showForm(ui, { ...form, problem: read.problem }))
  const answers = withAnswer(form.answers, field.name, read.value)
  const next = fields[form.at + 1]
  const { approvalId } = form
  if (next !== undefined) return stepTo(enterField(ui, { approvalId, at: form.at + 1, answers }, next))
  return stepTo(changePart(leaveForm(ui), 'answering', { answeredApproval: approvalId }), {
    kind: 'decide',
    approvalId,
    decision: 'approved',
    answers,
  })
}

function enterField(ui: UiState, form: Pick<FilledForm, 'approvalId' | 'at' | 'answers'>, field: FormField): UiState {
  const { composer } = ui.composing
  const text = textAt(form, field)
  return changePart(ui, 'composing', {
    purpose: { kind: 'form', form: atField(form, field) },
    composer: replace(composer, { start: 0, end: composer.text.length, text }),
  })
}

/** Moves the choice by arrows in a circle, or by digit. */
function choose(choice: number, count: number, event: KeyEvent): number {
  if (event.kind === 'text') {
    const digit = Number(event.text)
    return Number.isInteger(digit) && digit >= 1 && digit <= count ? digit - 1 : choice
  }
  const key = event.kind === 'key' ? chord(event) : null
  if (key === 'down' || key === 'right' || key === 'tab') return (choice + 1) % count
  if (key === 'up' || key === 'left') return (Math.max(0, choice) + count - 1) % count
  return choice
}

interface FormOption {
  /** Answer; null leaves the field out. */
  readonly value: FieldAnswer | null
  readonly title: string
}

/** Returns the options; null for a field with text. */
export function optionsOf({ type, choices = [], required }: FormField): readonly FormOption[] | null {
  const empty: readonly FormOption[] = required ? [] : [{ value: null, title: 'leave it empty' }]
  if (type === 'boolean') return [{ value: true, title: 'yes' }, { value: false, title: 'no' }, ...empty]
  if (type === 'choices') return choices
  return type === 'choice' ? [...choices, ...empty] : null
}

/** Moves to the field with its earlier answer, else its default. */
function atField(form: Pick<FilledForm, 'approvalId' | 'at' | 'answers'>, field: FormField): FilledForm {
  const given = form.answers[field.name] ?? field.default ?? null
  if (field.type === 'choices') return { ...form, choice: 0, ticked: Array.isArray(given) ? given : [], problem: null }
  const choice = optionsOf(field)?.findIndex(({ value }) => value === given) ?? -1
  return { ...form, choice, ticked: [], problem: null }
}

function textAt({ answers }: Pick<FilledForm, 'answers'>, field: FormField): string {
  return optionsOf(field) === null ? String(answers[field.name] ?? field.default ?? '') : ''
}

/** Returns the field's answer, null if empty, or the problem with it. */
function readField(
  field: FormField,
  { text, choice, ticked }: Pick<FilledForm, 'choice' | 'ticked'> & { readonly text: string },
): { readonly value: FieldAnswer | null } | { readonly problem: string } {
  const options = optionsOf(field)
  // In the order of the options, whatever the order of the ticks.
  if (field.type === 'choices')
    return {
      value: (options ?? []).flatMap(({ value }) => (ticked.some((one) => one === value) ? [String(value)] : [])),
    }
  if (options !== null) {
    const chosen = options[choice]
    return chosen === undefined ? { problem: 'Choose one of them.' } : { value: chosen.value }
  }
  if (text.trim() === '') return field.required ? { problem: 'This is needed.' } : { value: null }
  return field.type === 'string' ? readText(text, field.format) : readNumber(text.trim(), field.type === 'integer')
}

/** Formats checked before sending; the tool server checks finally. */
const formats: Readonly<Record<NonNullable<FormField['format']>, { readonly fits: RegExp; readonly problem: string }>> =
  {
    email: { fits: /^[^\s@]+@[^\s@]+$/, problem: 'It must be an e-mail address.' },
    uri: { fits: /^[a-z][a-z0-9+.-]*:\S+$/i, problem: 'It must be a URL, e.g. https://example.org.' },
    date: { fits: /^\d{4}-\d\d-\d\d$/, problem: 'It must be a date like 2026-02-28.' },
    'date-time': {
      fits: /^\d{4}-\d\d-\d\dT\d\d:\d\d\S*(Z|[+-]\d\d:\d\d)$/,
      problem: 'It must be a time like 2026-02-28T12:00:00Z.',
    },
  }

function readText(
  text: string,
  format: FormField['format'],
): { readonly value: string } | { readonly problem: string } {
  return format === undefined || formats[format].fits.test(text)
    ? { value: text }
    : { problem: formats[format].problem }
}

function readNumber(text: string, isWhole: boolean): { readonly value: number } | { readonly problem: string } {
  const value = Number(text)
  if (Number.isFinite(value) && (!isWhole || Number.isSafeInteger(value))) return { value }
  return { problem: isWhole ? 'It must be a whole number, e.g. 12.' : 'It must be a number, e.g. 1.5.' }
}

function withAnswer(answers: Answers, name: string, value: FieldAnswer | null): Answers {
  const { [name]: _, ...others } = answers
  return value === null ? others : { ...others, [name]: value }
}
