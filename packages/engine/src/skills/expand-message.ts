import { resolve } from 'node:path'
import type { InputItem, MessageCall } from '@parley/protocol'
import { fillCommand } from '../core/skills/command-template.ts'
import { invalidParam } from '../replies/rejection.ts'
import { useSkillArguments, useSkillName } from '../tools/skills/use-skill.ts'
import type { ConversationSkills } from './conversation-skills.ts'
import type { UsablePart } from './find-parts.ts'

/** Message with its command filled in, and the calls that its command and skills make. */
export interface Expanded {
  readonly input: readonly InputItem[]
  readonly calls: readonly MessageCall[]
}

interface SkillsInFolder {
  readonly skills: ConversationSkills
  readonly cwd: string
}

/** Most calls that one message makes. */
const mostCalls = 10

const commandForm = /^\/([A-Za-z0-9][\w-]*)(?:\s+([\s\S]*))?$/
const skillForm = /(?<![^\s(])\$([a-z0-9]+(?:-[a-z0-9]+)*)(?![\w-])/g

/** Tests if a message may name a command or a skill; only then files are looked at. */
export function mayNamePart(input: readonly InputItem[]): boolean {
  const texts = textsIn(input)
  return commandForm.test(texts[0] ?? '') || texts.some((text) => text.search(skillForm) >= 0)
}

/** Returns the name at the beginning of a message, `/name`, if no skill or command has it; else null. */
export function unknownCommand(input: readonly InputItem[], known: readonly Pick<UsablePart, 'name'>[]): string | null {
  const name = commandForm.exec(textsIn(input)[0] ?? '')?.[1]
  return name === undefined || known.some((part) => part.name === name) ? null : name
}

/**
 * Fills in the command that a message begins with, `/name arguments`. Its parts become calls, and each skill that is named
 * as `/name` or `$name`. Throws `invalidParams` for a command or skill that cannot be used.
 */
export async function expandMessage(input: readonly InputItem[], available: SkillsInFolder): Promise<Expanded> {
  const { skills, cwd } = available
  const texts = textsIn(input)
  const [, name = '', given = ''] = commandForm.exec(texts[0] ?? '') ?? []
  const known = skills.named(cwd)
  const begun = known.find((part) => part.name === name)
  if (begun === undefined && name !== '') assertNoProblem(skills, cwd, name)
  const mentioned = texts.flatMap((text) => [...text.matchAll(skillForm)].map(([, word = '']) => word))
  const named = known.filter((part) => part.kind === 'skill' && (part === begun || mentioned.includes(part.name)))
  const uses = named.map((part) => ({ name: useSkillName, arguments: useSkillArguments(part.name) }))
  if (begun?.kind !== 'command') return { input, calls: atMost(uses, 'This message') }
  const { text, calls } = await expandCommand(begun, given, available)
  const at = input.findIndex(({ type }) => type === 'text')
  return {
    input: [...input.slice(0, at + 1), { type: 'text', text }, ...input.slice(at + 1)],
    calls: atMost([...uses, ...calls], `The command ${begun.name}`),
  }
}

function textsIn(input: readonly InputItem[]): readonly string[] {
  return input.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

function assertNoProblem(skills: ConversationSkills, cwd: string, name: string): void {
  const problem = skills.problemOf(cwd, name)
  if (problem !== null) throw invalidParam('input', `/${name} cannot be used: ${problem}.`)
}

function atMost(calls: readonly MessageCall[], what: string): readonly MessageCall[] {
  if (calls.length <= mostCalls) return calls
  const message = `${what} runs or reads ${calls.length} things; at most ${mostCalls} are possible.`
  throw invalidParam('input', message)
}

function call(name: string, input: Readonly<Record<string, string>>): MessageCall {
  return { name, arguments: JSON.stringify(input) }
}

async function expandCommand({ name, text: { body } }: UsablePart, given: string, { skills, cwd }: SkillsInFolder) {
  const { text, commands, paths, unsafe } = fillCommand(body, given)
  if (unsafe !== null) throw invalidParam('input', unsafeText(name, unsafe))
  const areFiles = await Promise.all(paths.map((path) => skills.isFile(resolve(cwd, path))))
  const files = [...new Set(paths.filter((_, index) => areFiles[index] === true))]
  const calls = [
    ...commands.map((command) => call('shell', { command })),
    ...files.map((path) => call('read_file', { path })),
  ]
  return { text: calls.length === 0 ? text : `${text}\n\n${resultsFollow}`, calls }
}

function unsafeText(name: string, line: string): string {
  return `/${name} cannot be used with these arguments: in !\`${line}\` one would not stay a single word. Take the quotes there away; arguments are quoted anyway.`
}

const resultsFollow = '(The outputs of the commands above and the files named with @ follow, as results of calls.)'
