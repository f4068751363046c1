import { closest, firstBytes } from '@parley/text'
import * as z from 'zod'
import { defineTool, failedLookUp } from '../contract/define-tool.ts'
import type { ReadableSkill, SkillSource } from '../contract/skill-source.ts'
import type { Tool, ToolOutcome } from '../contract/tool.ts'

export const useSkillName = 'use_skill'

const input = z.object({
  skill: z.string().min(1).describe('Name of the skill.'),
  file: z.string().optional().describe('A file of the skill, relative to its folder; left out for its instructions.'),
  offset: z.int().min(1).optional().describe('First line, from 1.'),
})

/** Returns the arguments of the call that a message makes to start a skill. */
export function useSkillArguments(skill: string): string {
  return JSON.stringify({ skill })
}

/** Bytes of text that one call returns, so that the whole fits into a result. */
const mostBytes = 28 * 1024

export function useSkillTool(skills: SkillSource): Tool {
  return defineTool({
    name: useSkillName,
    description:
      'Reads the instructions of a skill, or one of its files, before you follow them. Its scripts are run with shell, like any other command.',
    readOnly: true,
    offeredTo: ({ hasSkills }) => hasSkills,
    input,
    prepare: (call) => {
      const { skill, file, offset } = call
      const text = JSON.stringify(call)
      const title = file === undefined ? `Use skill ${skill}` : `Read ${file} of skill ${skill}`
      return {
        describe: () => ({
          type: 'toolCall',
          kind: 'read',
          title: offset === undefined ? title : `${title} from line ${offset}`,
          text: '',
          input: text,
        }),
        facts: () => Promise.resolve({ kind: 'other', tool: useSkillName, readOnly: true }),
        plan: ({ cwd }) => Promise.resolve({ payload: text, run: () => Promise.resolve(readSkill(skills, cwd, call)) }),
      }
    },
  })
}

function readSkill(skills: SkillSource, cwd: string, { skill, file, offset = 1 }: z.infer<typeof input>): ToolOutcome {
  const all = skills.list(cwd)
  const found = all.find(({ name }) => name === skill)
  if (found === undefined) return failedLookUp(missing(skills, cwd, skill))
  if (!found.mayRead) return failedLookUp(startedByPeople(skill))
  if (file === undefined) return instructionsOf(found, offset)
  const read = found.read(file)
  if ('problem' in read) return failedLookUp(`${file} of the skill ${skill} cannot be read: ${read.problem}.`)
  return outcome(linesFrom(read.text, offset))
}

function missing(skills: SkillSource, cwd: string, skill: string): string {
  const problem = skills.problemOf(cwd, skill)
  if (problem !== null) return `The skill ${skill} cannot be used: ${problem}.`
  const names = skills.list(cwd).flatMap(({ name, mayRead }) => (mayRead ? [name] : []))
  if (names.length === 0) return `There is no skill "${skill}", and no other.`
  const near = closest(skill, names)
  return `There is no skill "${skill}".${near === null ? ` The skills are: ${names.join(', ')}.` : ` Did you mean ${near}?`}`
}

function startedByPeople(skill: string): string {
  return `The skill ${skill} is started by people only. The user starts it with $${skill} in a message.`
}

function instructionsOf(skill: ReadableSkill, offset: number): ToolOutcome {
  const { name, folder, body, files, allowedTools, isHidden } = skill
  const about = [
    `Skill ${name}. Its folder is ${folder}; paths in it are relative to that.`,
    ...(files.length === 0 ? [] : [`Files beside it, which ${useSkillName} reads with \`file\`: ${namesOf(files)}.`]),
    ...(isHidden && files.length > 0 ? ['Commands in the sandbox cannot see this folder.'] : []),
  ]
  const shown = linesFrom(body, offset)
  return {
    ...outcome(`${about.join('\n')}\n\n${shown}`),
    fields: {
      text: shown,
      skill: { name, ...(allowedTools === undefined ? {} : { allowedTools: [...allowedTools] }) },
    },
  }
}

const mostNames = 60

function namesOf(files: readonly string[]): string {
  const more = files.length - mostNames
  return [...files.slice(0, mostNames), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

function outcome(text: string): ToolOutcome {
  return { status: 'completed', modelText: text, fields: { text } }
}

/** Returns whole lines from one on, as many as fit, and how to read on. */
function linesFrom(text: string, offset: number): string {
  const lines = text.split('\n')
  let leftBytes = mostBytes
  const fitting = lines.slice(offset - 1).findIndex((line) => {
    leftBytes -= Buffer.byteLength(line) + 1
    return leftBytes < 0
  })
  if (fitting < 0) return lines.slice(offset - 1).join('\n')
  const end = offset - 1 + Math.max(1, fitting)
  const shown = lines.slice(offset - 1, end).join('\n')
  // A single line that is too long by itself is cut; it has no end that could be asked for.
  const whole = firstBytes(shown, mostBytes)
  return `${whole}\n[lines ${offset} to ${end} of ${lines.length}; offset: ${end + 1} reads on]`
}
