import { chmod, lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import {
  type AnswerStep,
  type RepositoryShape,
  runCli,
  shapedRepository,
  startModelServer,
  tempHome,
  tempWorkspace,
} from '@parley/testkit'
import { describe, expect, it, vi } from 'vitest'
import { modelSection } from '../mcp-client/talk.ts'
import { drawCommits, drawFrom, type RealCommit, type Version } from './commits.ts'
import { callsFor, type Way } from './redo-commit.ts'

/** Folder of clones of real repositories. Nothing of them is brought along, so that without it there is nothing to do. */
const clones = process.env['PARLEY_REPOSITORIES']
const seed = Number(process.env['PARLEY_COMMITS_SEED'] ?? 1)
const perRepository = Number(process.env['PARLEY_COMMITS'] ?? 25)

const shapes: readonly RepositoryShape[] = ['worktree', 'submodule', 'separate git directory', 'ordinary']

// A conversation has a hundred calls, each with its file history.
vi.setConfig({ testTimeout: 900_000 })

/** Files below a folder, each with its mode or that it is a link, and its content. */
type Tree = Readonly<Record<string, string>>

async function treeAt(folder: string): Promise<Tree> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const tree: Record<string, string> = {}
  for (const name of names.toSorted()) {
    const path = join(folder, name)
    const stats = await lstat(path)
    if (stats.isSymbolicLink()) tree[name] = `link ${await readlink(path)}`
    else if (stats.isFile())
      tree[name] = `${(stats.mode & 0o111) === 0 ? 'file' : 'program'} ${(await readFile(path)).toString('latin1')}`
  }
  return tree
}

function treeOf({ files }: RealCommit, side: 'before' | 'after'): Tree {
  const kinds = { '100644': 'file', '100755': 'program', '120000': 'link' } as const
  const rows = files.flatMap(({ path, [side]: one }) => {
    return one === null
      ? []
      : [[path, `${kinds[one.mode]} ${one.bytes.toString(one.mode === '120000' ? 'utf8' : 'latin1')}`]]
  })
  return Object.fromEntries(rows)
}

async function place(path: string, { mode, bytes }: Version): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  if (mode === '120000') return await symlink(bytes.toString(), path)
  await writeFile(path, bytes)
  await chmod(path, mode === '100755' ? 0o755 : 0o644)
}

/** Writes the files of a commit as its parent has them. */
async function placeParent(folder: string, { files }: RealCommit): Promise<void> {
  for (const { path, before } of files) if (before !== null) await place(join(folder, path), before)
}

function differing(found: Tree, wanted: Tree): readonly string[] {
  const names = new Set([...Object.keys(found), ...Object.keys(wanted)])
  return [...names].filter((name) => found[name] !== wanted[name])
}

function nameOf({ repository, hash }: RealCommit, name: string): string {
  return `${basename(repository)} ${hash} ${name}`
}

interface Redone {
  readonly done: number
  /** Commits that this form of change cannot express, such as a change of line ends only. */
  readonly unsayable: number
  /** Commits that were refused, as their text fits in two places; nothing of them was written. */
  readonly refused: readonly string[]
  readonly wrong: readonly string[]
  readonly notTakenBack: readonly string[]
}

/** Does commits again in one conversation, each in a folder with its parent's files, then takes all of them back. */
async function redo(way: Way, commits: readonly RealCommit[], shape: RepositoryShape): Promise<Redone> {
  const sayable = commits.flatMap((commit, index) => {
    const calls = callsFor(way, commit, `c${index}`)
    return calls === null ? [] : [{ commit, folder: `c${index}`, calls }]
  })
  const steps: AnswerStep[] = sayable.map(({ calls }) => ({ calls }))
  await using model = await startModelServer([...steps, { text: 'Done.' }])
  await using home = await tempHome()
  await using root = await tempWorkspace()
  const { folder: cwd } = await shapedRepository(shape, root.path)
  for (const { commit, folder } of sayable) await placeParent(join(cwd, folder), commit)
  await writeFile(join(home.env.PARLEY_HOME, 'config.toml'), modelSection(model.url))
  const run = (words: readonly string[]) => runCli(words, { env: home.env, cwd })
  const { lines, stderr } = await run(['exec', '--json', '-a', 'never', 'Do them again'])
  const results = JSON.stringify(model.requests.at(-1)?.body)
  const wrong: string[] = []
  const refused: string[] = []
  for (const { commit, folder } of sayable) {
    const found = await treeAt(join(cwd, folder))
    const names = differing(found, treeOf(commit, 'after')).map((name) => nameOf(commit, name))
    const isUntouched = differing(found, treeOf(commit, 'before')).length === 0
    const isRefused = isUntouched && new RegExp(`fits in ${folder}/[^"]* so it was applied at neither`).test(results)
    for (const name of names) (isRefused ? refused : wrong).push(name)
  }
  if (wrong.length > 0) wrong.push(stderr)
  const id = /"conversationId":"([^"]+)"/.exec(lines()[0] ?? '')?.[1] ?? ''
  await run(['rewind', id, '--to', '1', '--yes'])
  const notTakenBack: string[] = []
  for (const { commit, folder } of sayable) {
    const names = differing(await treeAt(join(cwd, folder)), treeOf(commit, 'before'))
    for (const name of names) notTakenBack.push(nameOf(commit, name))
  }
  return { done: sayable.length, unsayable: commits.length - sayable.length, refused, wrong, notTakenBack }
}

// PARLEY_REPOSITORIES names a folder of clones; without it these tests have nothing to do again.
describe.runIf(clones !== undefined)('commits of real repositories', () => {
  it.each<Way>(['patch', 'edits', 'whole'])('done again as %s are exact, and taken back', async (way) => {
    const names = (await readdir(clones ?? '.', { withFileTypes: true })).filter((entry) => entry.isDirectory())
    const found: Record<string, Redone> = {}
    for (const [index, { name }] of names.entries()) {
      const commits = drawCommits(join(clones ?? '.', name), perRepository, drawFrom(seed + index))
      const shape = shapes[index % shapes.length] ?? 'ordinary'
      found[`${name} in ${shape}`] = await redo(way, commits, shape)
    }
    expect(Object.values(found).reduce((sum, { done }) => sum + done, 0)).toBeGreaterThan(0)
    const faults = Object.entries(found).filter(([, { wrong, notTakenBack }]) => wrong.length + notTakenBack.length > 0)
    expect(Object.fromEntries(faults)).toEqual({})
  })
})
