import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Setup } from './attack-case.ts'
import { type AttackUser, giveTo } from './attack-user.ts'

/** Lays out what an attack finds; placeholders are filled in already. */
export function setUp(steps: readonly Setup[], workspace: string, user: AttackUser): void {
  for (const step of steps) {
    if (step.mkdir !== undefined) own(user, step.mkdir, () => mkdirSync(step.mkdir ?? '', { recursive: true }))
    if (step.move !== undefined) renameSync(step.move, made(step.to ?? ''))
    if (step.remove !== undefined) rmSync(step.remove, { recursive: true })
    if (step.symlink !== undefined) symlinkSync(step.to ?? '', made(step.symlink))
    if (step.hard_link !== undefined) linkSync(step.to ?? '', made(step.hard_link))
    if (step.file !== undefined) writeFileSync(made(step.file), step.content ?? '')
    if (step.exe !== undefined) writeFileSync(made(step.exe), `#!/bin/sh\n${step.script ?? ''}\n`, { mode: 0o755 })
    if (step.chmod !== undefined) chmodSync(step.chmod, Number.parseInt(step.mode ?? '0', 8))
    if (step.git_init !== undefined) copyRepository(workspace, step.git_init)
    if (step.git_config !== undefined) git(workspace, 'config', ...step.git_config)
    if (step.replace_with_link !== undefined) replaceWithLink(step.replace_with_link, step.to ?? '')
    if (step.fifo !== undefined) execFileSync('mkfifo', [step.fifo])
    if (step.bare === true) makeBare(workspace)
    if (step.worktree === true) makeWorktree(workspace)
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

function own(user: AttackUser, path: string, make: () => void): void {
  make()
  giveTo(user, path)
}
