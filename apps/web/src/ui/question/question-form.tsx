import type { Answers, Approval, FieldAnswer, Form, FormField } from '@parley/protocol'
import { onOneLine } from '@parley/protocol/question'
import { Part } from './part.tsx'

export function initialAnswers({ form }: Pick<Approval, 'form'>): Answers {
  return Object.fromEntries(
    (form?.fields ?? []).flatMap(({ name, default: initial, type }): readonly [string, FieldAnswer][] =>
      initial !== undefined
        ? [[name, initial]]
        : type === 'boolean'
          ? [[name, false]]
          : type === 'choices'
            ? [[name, []]]
            : [],
    ),
  )
}

interface FieldsProps {
  readonly form: Form
  readonly answers: Answers
  readonly onChange: (answers: Answers) => void
}

/** Fields of a form, in parts that must have been on the screen. A model or a tool server wrote the texts. */
export function FormFields({ form, answers, onChange }: FieldsProps) {
  const set = (name: string, value: FieldAnswer | undefined) => {
    const { [name]: _before, ...others } = answers
    onChange(value === undefined ? others : { ...others, [name]: value })
  }
  return (
    <div className="form">
      {form.fields.map((field) => (
        <Part key={field.name}>
          <Field field={field} value={answers[field.name]} onChange={(value) => set(field.name, value)} />
        </Part>
      ))}
    </div>
  )
}

interface FieldProps {
  readonly field: FormField
  readonly value: FieldAnswer | undefined
  readonly onChange: (value: FieldAnswer | undefined) => void
}

function Field({ field, value, onChange }: FieldProps) {
  if (field.type === 'boolean') return <Box {...{ field, value, onChange }} />
  if (field.type === 'choice') return <Choice {...{ field, value, onChange }} />
  if (field.type === 'choices') return <Choices {...{ field, value, onChange }} />
  const id = `field-${field.name}`
  const isNumber = field.type === 'number' || field.type === 'integer'
  return (
    <div className="field">
      <label className="name" htmlFor={id}>
        {titleOf(field)}
      </label>
      <Description field={field} />
      <input
        id={id}
        type={isNumber ? 'number' : 'text'}
        step={field.type === 'number' ? 'any' : undefined}
        value={String(value ?? '')}
        onChange={({ target }) =>
          onChange(target.value === '' ? undefined : isNumber ? target.valueAsNumber : target.value)
        }
      />
    </div>
  )
}

function Box({ field, value, onChange }: FieldProps) {
  return (
    <div className="field">
      <Description field={field} />
      <label className="option">
        <input type="checkbox" checked={value === true} onChange={(event) => onChange(event.target.checked)} />
        {titleOf(field)}
      </label>
    </div>
  )
}

/** Choices of a field, all of them in sight; one that is not required can be left open again. */
function Choice({ field, value, onChange }: FieldProps) {
  const choices = (field.choices ?? []).map((choice) => ({ value: choice.value, title: onOneLine(choice.title) }))
  const open = { value: undefined, title: 'no choice' }
  return (
    <fieldset>
      <legend>{titleOf(field)}</legend>
      <Description field={field} />
      {[...choices, ...(field.required ? [] : [open])].map((choice) => (
        <label key={choice.value ?? ''} className="option">
          <input
            type="radio"
            name={`field-${field.name}`}
            checked={value === choice.value}
            onChange={() => onChange(choice.value)}
          />
          {choice.title}
        </label>
      ))}
    </fieldset>
  )
}

/** Choices for any number of ticks; the answer has them in the order of the field. */
function Choices({ field, value, onChange }: FieldProps) {
  const choices = field.choices ?? []
  const ticked = Array.isArray(value) ? value : []
  const set = (changed: string, isTicked: boolean) =>
    onChange(
      choices.flatMap((one) => ((one.value === changed ? isTicked : ticked.includes(one.value)) ? [one.value] : [])),
    )
  return (
    <fieldset>
      <legend>{titleOf(field)}</legend>
      <Description field={field} />
      {choices.map((choice) => (
        <label key={choice.value} className="option">
          <input
            type="checkbox"
            checked={ticked.includes(choice.value)}
            onChange={({ target }) => set(choice.value, target.checked)}
          />
          {onOneLine(choice.title)}
        </label>
      ))}
    </fieldset>
  )
}

function Description({ field: { description } }: Pick<FieldProps, 'field'>) {
  return description === undefined ? null : <p className="muted">{onOneLine(description)}</p>
}

function titleOf({ title, required }: FormField): string {
  return `${onOneLine(title)}${required ? ' (required)' : ''}`
}
