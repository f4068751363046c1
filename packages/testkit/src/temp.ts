import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, renameSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'

export type TempDirectory = AsyncDisposable & {
  /** Absolute path with symlinks resolved (on macOS the temporary directory is one). */
  readonly path: string
}

export type TempHome = TempDirectory & {
  /** Environment that points parley, git and shells to this home. */
  readonly env: { readonly HOME: string; readonly PARLEY_HOME: string; readonly XDG_RUNTIME_DIR: string }
}

export type WorkspaceRecipe = {
  /** Content by path, relative to the workspace. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  /** Initialises a git repository with one commit of the files. */
  readonly git?: boolean
}

/** Creates an empty directory that disposing removes with its content. */
export async function tempDirectory(): Promise<TempDirectory> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'parley-test-')))
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }),
  }
}

/** Creates a temporary directory with the given files. */
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

/** Creates a temporary home with a `PARLEY_HOME` and the sandbox findings of earlier homes. */
export async function tempHome(): Promise<TempHome> {
  const directory = await tempDirectory()
  // Sockets of servers under test lie in the home, so that they are removed with it.
  const env = { HOME: directory.path, PARLEY_HOME: join(directory.path, '.parley'), XDG_RUNTIME_DIR: directory.path }
  await mkdir(env.PARLEY_HOME, { mode: 0o700 })
  restoreSandboxCache(env.PARLEY_HOME)
  return {
    ...directory,
    env,
    async [Symbol.asyncDispose]() {
      saveSandboxCache(env.PARLEY_HOME)
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

// Servers of all test homes share the sandbox findings of the first one; to probe in each home takes minutes.
const cacheFolder = fileURLToPath(new URL('../../../node_modules/.cache/parley-tests', import.meta.url))
const sharedFile = (program: TestedProgram) => join(cacheFolder, `sandbox-${process.getuid?.() ?? 0}-${program}.json`)
const homeFile = (parleyHome: string) => join(parleyHome, 'cache', 'sandbox.json')

/** Programs that share sandbox findings: the built one, or one that tests run from source. */
type TestedProgram = 'built' | 'sources'

/** Copies the shared sandbox findings into a home. A server uses them only for the same boot and build. */
export function restoreSandboxCache(parleyHome: string, program: TestedProgram = 'built'): void {
  try {
    mkdirSync(dirname(homeFile(parleyHome)), { mode: 0o700 })
    copyFileSync(sharedFile(program), homeFile(parleyHome))
  } catch {
    // There are no findings yet.
  }
}

/** Copies the sandbox findings of a home to the shared file. */
export function saveSandboxCache(parleyHome: string, program: TestedProgram = 'built'): void {
  try {
    const shared = sharedFile(program)
    const written = `${shared}.${randomUUID()}`
    mkdirSync(cacheFolder, { recursive: true })
    copyFileSync(homeFile(parleyHome), written)
    renameSync(written, shared)
  } catch {
    // The home has no findings, or the cache folder belongs to another user.
  }
}
