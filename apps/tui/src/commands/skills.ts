import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { showEffects } from '@parley/presentation/text/control-characters'
import type { FoundPart } from '@parley/protocol'
import { errorCode, greatest } from '@parley/text'
import { connect } from '../cli/connect.ts'
import { exitCodes, misused } from '../cli/exit-codes.ts'
import { folderOf, fromWorkingFolder, workingFolder } from '../cli/folders.ts'
import type { Launch } from '../cli/launch-server.ts'
import { jsonLines } from '../cli/output-lines.ts'

export interface SkillsFlags {
  readonly cd?: string
  readonly environment?: string
  readonly json?: boolean
}

/** Runs `parley skills list`: lists skills and commands; unusable ones with the reason. */
export async function listSkills(launch: Launch, flags: SkillsFlags): Promise<number> {
  const parts = await partsHere(launch, flags)
  launch.streams.stdout.write(flags.json === true ? jsonLines(parts) : showEffects(listText(parts)))
  return exitCodes.ok
}

/** Runs `parley skills check`: prints the faults of each skill and command; exit code `denied` if one cannot be used. */
export async function checkSkills(launch: Launch, flags: SkillsFlags): Promise<number> {
  const parts = await partsHere(launch, flags)
  launch.streams.stdout.write(flags.json === true ? jsonLines(parts) : showEffects(checkText(parts)))
  return parts.some(({ state }) => state === 'broken' || state === 'sameName') ? exitCodes.denied : exitCodes.ok
}

async function partsHere(launch: Launch, { cd, environment }: SkillsFlags): Promise<readonly FoundPart[]> {
  await using parley = await connect(launch, { clientName: 'parley-skills' })
  return (await parley.request('skill/list', folderOf(cd, environment))).parts
}

const none =
  'There are no skills and no commands here. `parley skills new NAME` makes a skill; docs/skills.md says where they are looked for.\n'

function listText(parts: readonly FoundPart[]): string {
  if (parts.length === 0) return none
  const width = Math.min(30, greatest(parts.map((part) => labelOf(part).length)))
  return parts.map((part) => `${labelOf(part).padEnd(width)}  ${oneLine(part.problem ?? part.description)}\n`).join('')
}

function labelOf({ kind, name, origin, state }: FoundPart): string {
  const mark = state === 'ready' ? '' : `, ${stateWords[state]}`
  return `${kind === 'skill' ? '$' : '/'}${name} (${origin}${mark})`
}

const stateWords = { untrusted: 'not trusted', broken: 'broken', sameName: 'not used' } as const

function checkText(parts: readonly FoundPart[]): string {
  if (parts.length === 0) return none
  return parts.map((part) => [`${markOf(part)}  ${part.path}`, ...saidOf(part), ''].join('\n')).join('')
}

function markOf({ state, remarks }: FoundPart): string {
  if (state !== 'ready') return stateWords[state]
  return remarks.length === 0 ? 'ok' : 'note'
}

function saidOf({ problem, remarks }: FoundPart): readonly string[] {
  return [...(problem === undefined ? [] : [problem]), ...remarks].map((text) => `    ${oneLine(text)}`)
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ')
}

export interface NewSkillFlags {
  readonly cd?: string
  readonly project?: boolean
}

/** Runs `parley skills new`: makes a folder with a SKILL.md to fill in, in the user's home or, with `--project`, in the project. */
export function newSkill({ streams }: Launch, name: string, { cd, project }: NewSkillFlags): number {
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) || name.length > 64)
    throw misused('The name of a skill is made of a-z, 0-9 and single hyphens, at most 64.')
  const base = project === true ? (cd === undefined ? workingFolder() : fromWorkingFolder(cd)) : homedir()
  const folder = join(base, '.agents', 'skills', name)
  const file = join(folder, 'SKILL.md')
  mkdirSync(folder, { recursive: true })
  try {
    writeFileSync(file, template(name), { flag: 'wx' })
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw misused(`${file} is there already.`)
    throw error
  }
  const next = project === true ? ' Then trust it: `parley trust`.' : ''
  streams.stdout.write(`Made ${file}. Write what it is for and what to do.${next}\n`)
  return exitCodes.ok
}

function template(name: string): string {
  return `---
name: ${name}
description: What it does, and when to use it.
---

# ${name}

What to do, step by step. Scripts and longer texts lie beside this file and are named here, e.g. scripts/run.sh.
`
}
