import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { keepSandbox, lendSandbox } from './kept-sandbox.ts'

export type TempDirectory = AsyncDisposable & {
  /** Absolute, symlinks resolved (macOS keeps its temporary directory behind one). */
  readonly path: string
}

export type TempHome = TempDirectory & {
  /** Environment that makes parley, git and shells live in this home. */
  readonly env: { readonly HOME: string; readonly PARLEY_HOME: string; readonly XDG_RUNTIME_DIR: string }
}

export type WorkspaceRecipe = {
  /** Content by path relative to the workspace. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  /** Initialise a git repository with one commit of the files. */
  readonly git?: boolean
}

/** A fresh directory, removed with all its content when disposed. */
export async function tempDirectory(): Promise<TempDirectory> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'parley-test-')))
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }),
  }
}

export async function tempWorkspace(recipe: WorkspaceRecipe = {}): Promise<TempDirectory> {
  const directory = await tempDirectory()
  for (const [name, content] of Object.entries(recipe.files ?? {})) {
    const target = join(directory.path, name)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, content)
  }
  if (recipe.git) await commitAll(directory.path)
  return directory
}

export async function tempHome(): Promise<TempHome> {
  const directory = await tempDirectory()
  // Sockets of servers under test go with their home.
  const env = { HOME: directory.path, PARLEY_HOME: join(directory.path, '.parley'), XDG_RUNTIME_DIR: directory.path }
  await mkdir(env.PARLEY_HOME, { mode: 0o700 })
  lendSandbox(env.PARLEY_HOME)
  return {
    ...directory,
    env,
    async [Symbol.asyncDispose]() {
      keepSandbox(env.PARLEY_HOME)
      await directory[Symbol.asyncDispose]()
    },
  }
}

async function commitAll(cwd: string): Promise<void> {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid', '-c', 'commit.gpgsign=false']
  const git = execa({ cwd, stdio: 'ignore' })
  await git('git', [...identity, 'init', '--initial-branch=main'])
  await git('git', [...identity, 'add', '--all'])
  await git('git', [...identity, 'commit', '--allow-empty', '--no-verify', '--message', 'start'])
}
