import { type FieldValue, firstBytes, readFrontMatter } from '@parley/text'

/** Front matter of a skill or command, and the text below it. */
export interface PartText {
  readonly name: string
  readonly description: string
  /** Arguments it takes, in words, for completion. */
  readonly argumentHint?: string
  /** Tools that the skill names; left out where it names no tools. */
  readonly allowedTools?: readonly string[]
  /** False for a skill that only people start. */
  readonly forModel: boolean
  /** False for a skill that only the model starts. */
  readonly forUser: boolean
  readonly body: string
  /** Departures from the form that do not keep it from working. */
  readonly remarks: readonly string[]
}

type PartReading = PartText | { readonly problem: string }

const nameForm = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const most = { name: 64, description: 1024 } as const

/** Reads a SKILL.md in the open form. `folder` is the name of its folder, which counts where it says no name. */
export function readSkillText(text: string, folder: string): PartReading {
  const read = readFrontMatter(text)
  if ('problem' in read) return read
  const { fields, body } = read
  const name = textOf(fields.get('name')) || folder
  const description = textOf(fields.get('description'))
  if (!nameForm.test(name) || name.length > most.name)
    return { problem: `its name is not made of a-z, 0-9 and single hyphens, at most ${most.name}` }
  if (description === '') return { problem: 'its front matter has no description, by which it would be chosen' }
  if (body.trim() === '') return { problem: 'it has no instructions below its front matter' }
  const allowedTools = toolsOf(fields.get('allowed-tools'))
  const isLong = description.length > most.description
  return {
    name,
    description: isLong ? `${firstBytes(description, most.description)}…` : description,
    ...hintOf(fields),
    ...(allowedTools === null ? {} : { allowedTools }),
    forModel: textOf(fields.get('disable-model-invocation')) !== 'true',
    forUser: textOf(fields.get('user-invocable')) !== 'false',
    body,
    remarks: [
      ...(name === folder ? [] : [`its name is not that of its folder, ${folder}`]),
      ...(isLong ? [`its description is cut after ${most.description} bytes`] : []),
      ...(fields.has('name') ? [] : ['its front matter has no name']),
    ],
  }
}

const commandName = /^[A-Za-z0-9][\w-]*$/

/** Reads the file of a command. Without a description its first line stands for it. */
export function readCommandText(text: string, name: string): PartReading {
  const read = readFrontMatter(text)
  if ('problem' in read) return read
  const { fields, body } = read
  if (!commandName.test(name) || name.length > most.name)
    return { problem: 'the name of its file is not made of letters, digits, _ and -' }
  if (body.trim() === '') return { problem: 'it has no text' }
  const [firstLine = ''] = body.trim().split('\n', 1)
  const words = textOf(fields.get('description')) || firstLine.replace(/^#+\s*/, '')
  const description = firstBytes(words, most.description)
  return { name, description, ...hintOf(fields), forModel: false, forUser: true, body, remarks: [] }
}

function hintOf(fields: ReadonlyMap<string, FieldValue>): { readonly argumentHint?: string } {
  const value = fields.get('argument-hint')
  const hint =
    typeof value === 'string' || value === undefined ? textOf(value) : value.map((word) => `[${word}]`).join(' ')
  return hint === '' ? {} : { argumentHint: firstBytes(hint, 100) }
}

function textOf(value: FieldValue | undefined): string {
  const text = value === undefined || typeof value === 'string' ? (value ?? '') : value.join(', ')
  return text.replace(/\s+/g, ' ').trim()
}

/** Returns the names of tools, which are divided by spaces or commas outside of parentheses; null for no such field. */
function toolsOf(value: FieldValue | undefined): readonly string[] | null {
  if (value === undefined) return null
  const words = typeof value === 'string' ? (value.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? []) : value
  return words.map((word) => word.trim()).filter((word) => word !== '')
}
