import type { Answer, Answers, Approval, Form, FormField } from '@parley/protocol'
import { onOneLine } from '@parley/protocol/question'

/** Returns the values that a form begins with. */
export function initialAnswers({ form }: Pick<Approval, 'form'>): Answers {
  return Object.fromEntries(
    (form?.fields ?? []).flatMap(({ name, default: initial, type }): readonly [string, Answer][] =>
      initial !== undefined ? [[name, initial]] : type === 'boolean' ? [[name, false]] : [],
    ),
  )
}

interface FieldsProps {
  readonly form: Form
  readonly answers: Answers
  readonly onChange: (answers: Answers) => void
}

/** The fields of a form that a tool server asks to fill in. Its texts are the server's. */
export function FormFields({ form, answers, onChange }: FieldsProps) {
  const set = (name: string, value: Answer | undefined) => {
    const { [name]: _before, ...others } = answers
    onChange(value === undefined ? others : { ...others, [name]: value })
  }
  return (
    <div className="form">
      {form.fields.map((field) => {
        const id = `field-${field.name}`
        return (
          <div key={field.name}>
            <label htmlFor={id}>
              {onOneLine(field.title)}
              {field.required ? ' (required)' : ''}
            </label>
            {field.description === undefined ? null : <p className="muted">{onOneLine(field.description)}</p>}
            <Control id={id} field={field} value={answers[field.name]} onChange={(value) => set(field.name, value)} />
          </div>
        )
      })}
    </div>
  )
}

interface ControlProps {
  readonly id: string
  readonly field: FormField
  readonly value: Answer | undefined
  readonly onChange: (value: Answer | undefined) => void
}

function Control({ id, field, value, onChange }: ControlProps) {
  if (field.type === 'boolean')
    return (
      <input id={id} type="checkbox" checked={value === true} onChange={(event) => onChange(event.target.checked)} />
    )
  if (field.type === 'choice')
    return (
      <select id={id} value={String(value ?? '')} onChange={(event) => onChange(event.target.value || undefined)}>
        <option value="">–</option>
        {(field.choices ?? []).map((choice) => (
          <option key={choice.value} value={choice.value}>
            {onOneLine(choice.title)}
          </option>
        ))}
      </select>
    )
  const isNumber = field.type === 'number' || field.type === 'integer'
  return (
    <input
      id={id}
      type={isNumber ? 'number' : 'text'}
      step={field.type === 'number' ? 'any' : undefined}
      value={String(value ?? '')}
      onChange={({ target }) =>
        onChange(target.value === '' ? undefined : isNumber ? target.valueAsNumber : target.value)
      }
    />
  )
}
