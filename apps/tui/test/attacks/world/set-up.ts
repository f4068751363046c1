import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Setup } from './attack-case.ts'
import { type AttackUser, giveTo } from './attack-user.ts'

type Layings = { readonly [Name in keyof Setup]?: (value: NonNullable<Setup[Name]>, step: Setup, site: Site) => void }

interface Site {
  readonly workspace: string
  readonly user: AttackUser
}

/** By the key that names a step; `to`, `content`, `script` and `mode` say more of it. */
const layings: Layings = {
  mkdir(path, _, { user }) {
    mkdirSync(path, { recursive: true })
    giveTo(user, path)
  },
  move: (path, { to = '' }) => renameSync(path, made(to)),
  remove: (path) => rmSync(path, { recursive: true }),
  symlink: (path, { to = '' }) => symlinkSync(to, made(path)),
  hard_link: (path, { to = '' }) => linkSync(to, made(path)),
  file: (path, { content = '' }) => writeFileSync(made(path), content),
  exe: (path, { script = '' }) => writeFileSync(made(path), `#!/bin/sh\n${script}\n`, { mode: 0o755 }),
  chmod: (path, { mode = '0' }) => chmodSync(path, Number.parseInt(mode, 8)),
  git_init: (path, _, { workspace }) => copyRepository(workspace, path),
  git_config: (words, _, { workspace }) => git(workspace, 'config', ...words),
  replace_with_link: (path, { to = '' }) => replaceWithLink(path, to),
  fifo: (path) => void execFileSync('mkfifo', [made(path)]),
  bare: (_, __, { workspace }) => makeBare(workspace),
  worktree: (_, __, { workspace }) => makeWorktree(workspace),
}

/** Lays out what an attack finds; placeholders are filled in already. */
export function setUp(steps: readonly Setup[], workspace: string, user: AttackUser): void {
  for (const step of steps) {
    for (const [name, lay] of Object.entries(layings)) {
      const value = step[name as keyof Setup]
      if (value !== undefined)
        (lay as (value: unknown, step: Setup, site: Site) => void)(value, step, { workspace, user })
    }
  }
  giveTo(user, dirname(workspace))
}

/** The workspace becomes a worktree of a repository beside it. */
function makeWorktree(workspace: string): void {
  const main = join(dirname(workspace), 'main')
  cpSync(workspace, main, { recursive: true })
  rmSync(workspace, { recursive: true })
  git(main, 'worktree', 'add', '--quiet', workspace, '-b', 'side')
}

function makeBare(workspace: string): void {
  const repository = join(dirname(workspace), 'bare')
  renameSync(join(workspace, '.git'), repository)
  rmSync(workspace, { recursive: true })
  renameSync(repository, workspace)
  git(workspace, 'config', 'core.bare', 'true')
}

function copyRepository(workspace: string, to: string): void {
  cpSync(join(workspace, '..', '..', 'template', '.git'), join(made(to), '.git'), { recursive: true })
}

function replaceWithLink(path: string, to: string): void {
  rmSync(path)
  symlinkSync(to, path)
}

function git(folder: string, ...args: readonly string[]): void {
  execFileSync('git', ['-c', 'safe.directory=*', '-C', folder, ...args], { stdio: 'pipe' })
}

function made(path: string): string {
  mkdirSync(dirname(path), { recursive: true })
  return path
}
