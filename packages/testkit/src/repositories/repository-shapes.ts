import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'

/** Working folder of a shape that real repositories have. */
export interface ShapedRepository {
  /** Folder to work in, with the file `f.txt` of one line, `one`, and rules that ignore `ignored`. */
  readonly folder: string
  /** Branch or commit that the model is told; null for a folder that is no work tree. */
  readonly branch: string | RegExp | null
  /** Names in it that rules ignore. */
  readonly ignored: readonly string[]
}

/** Runs git in a folder of the shape. */
type Git = (folder: string, ...words: readonly string[]) => Promise<unknown>

type Make = (root: string, git: Git) => Promise<ShapedRepository>

/** Makes each shape in an empty folder. */
export const repositoryShapes = {
  ordinary: async (root, git) => shaped(await ordinary(root, git)),
  subfolder: async (root, git) => {
    const outer = await shaped(await ordinary(root, git))
    return { ...outer, folder: await withFiles(join(outer.folder, 'sub')) }
  },
  worktree: async (root, git) => shaped(await worktree(root, git), 'side', join(root, 'main/.git')),
  'subfolder of a worktree': async (root, git) => {
    const outer = await shaped(await worktree(root, git), 'side', join(root, 'main/.git'))
    return { ...outer, folder: await withFiles(join(outer.folder, 'sub')) }
  },
  'worktree that was pruned': async (root, git) => {
    const folder = await worktree(root, git)
    await rm(join(root, 'main/.git/worktrees'), { recursive: true })
    return { folder, branch: null, ignored: ['ignored'] }
  },
  submodule: async (root, git) => {
    await ordinary(root, git)
    const outer = await withFiles(join(root, 'outer'))
    await git(outer, 'init', '-q', '-b', 'outer')
    await git(outer, 'submodule', 'add', '-q', join(root, 'main'), 'inner')
    return shaped(join(outer, 'inner'), 'main', join(outer, '.git/modules/inner'))
  },
  'separate git directory': async (root, git) => {
    const folder = await withFiles(join(root, 'main'))
    await git(folder, 'init', '-q', '-b', 'main', `--separate-git-dir=${join(root, 'elsewhere.git')}`)
    await commitAll(folder, git)
    return shaped(folder, 'main', join(root, 'elsewhere.git'))
  },
  'a .git that is an empty file': (root) => withGitFile(root, ''),
  'a .git that is rubbish': (root) => withGitFile(root, 'gitdir:\0\n'),
  'a .git that leads nowhere': (root) => withGitFile(root, `gitdir: ${join(root, 'gone')}\n`),
  'a .git/info that is a file': async (root, git) => {
    const folder = await ordinary(root, git)
    await rm(join(folder, '.git/info'), { recursive: true })
    await writeFile(join(folder, '.git/info'), '')
    return { folder, branch: 'main', ignored: ['ignored'] }
  },
  bare: async (root, git) => {
    const folder = join(root, 'bare.git')
    await git(root, 'clone', '-q', '--bare', await ordinary(root, git), folder)
    await withFiles(folder)
    return { folder, branch: null, ignored: ['ignored'] }
  },
  sparse: async (root, git) => {
    const folder = await ordinary(root, git)
    await git(folder, 'sparse-checkout', 'set', '--no-cone', '/*', '!/sub')
    return shaped(folder)
  },
  shallow: (root, git) => cloned(root, git, '--depth=1'),
  partial: (root, git) => cloned(root, git, '--filter=blob:none'),
  'clone with alternates': (root, git) => cloned(root, git, '--shared', '--no-local'),
  'with LFS pointers': async (root, git) => {
    const folder = await ordinary(root, git)
    await writeFile(join(folder, '.gitattributes'), '*.bin filter=lfs diff=lfs merge=lfs -text\n')
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`
    await writeFile(join(folder, 'large.bin'), pointer)
    await commitAll(folder, git)
    return shaped(folder)
  },
  'core.worktree elsewhere': async (root, git) => {
    const folder = await withFiles(join(root, 'tree'))
    await git(root, 'init', '-q', '-b', 'main', join(root, 'main'))
    await git(join(root, 'main'), 'config', 'core.worktree', folder)
    await writeFile(join(folder, '.git'), `gitdir: ${join(root, 'main/.git')}\n`)
    await commitAll(folder, git)
    return shaped(folder, 'main', join(root, 'main/.git'))
  },
  'unborn branch': async (root, git) => {
    const folder = await withFiles(join(root, 'main'))
    await git(folder, 'init', '-q', '-b', 'fresh')
    return shaped(folder, 'fresh')
  },
  'amid a merge': async (root, git) => {
    const folder = await conflicting(root, git)
    await git(folder, 'merge', 'side').catch(() => undefined)
    await writeFile(join(folder, 'f.txt'), 'one\n')
    return shaped(folder)
  },
  'amid a rebase': async (root, git) => {
    const folder = await conflicting(root, git)
    await git(folder, 'rebase', 'side').catch(() => undefined)
    await writeFile(join(folder, 'f.txt'), 'one\n')
    return shaped(folder, /^[0-9a-f]{40}$/)
  },
  'line ends by autocrlf': async (root, git) => {
    const folder = await ordinary(root, git)
    await git(folder, 'config', 'core.autocrlf', 'true')
    await writeFile(join(folder, 'crlf.txt'), 'one\r\ntwo\r\n')
    return shaped(folder)
  },
  'renamed by case': async (root, git) => {
    const folder = await ordinary(root, git)
    await writeFile(join(folder, 'readme.md'), 'one\n')
    await commitAll(folder, git)
    await git(folder, 'mv', 'readme.md', 'README.md')
    return shaped(folder)
  },
  'names as macOS writes them': async (root, git) => {
    const folder = await ordinary(root, git)
    for (const form of ['NFD', 'NFC'] as const) await writeFile(join(folder, 'é.txt'.normalize(form)), 'one\n')
    await commitAll(folder, git)
    return shaped(folder)
  },
  'repositories inside': async (root, git) => {
    const folder = await ordinary(root, git)
    const inner = await withFiles(join(folder, 'inner'))
    await git(inner, 'init', '-q')
    await commitAll(inner, git)
    return shaped(folder)
  },
  'Mercurial and Jujutsu beside': async (root, git) => {
    const folder = await ordinary(root, git)
    for (const name of ['.hg', '.jj']) await withFiles(join(folder, name))
    return shaped(folder)
  },
  'rule files that are pipes': async (root, git) => {
    const folder = await ordinary(root, git)
    const pipes = ['.gitignore', '.ignore', '.git/info/exclude', 'AGENTS.md'].map((name) => join(folder, name))
    for (const pipe of pipes) await rm(pipe, { force: true })
    await execa('mkfifo', pipes)
    return { folder, branch: 'main', ignored: [] }
  },
} as const satisfies Readonly<Record<string, Make>>

export type RepositoryShape = keyof typeof repositoryShapes

/** Makes a repository of a shape in an empty folder. */
export function shapedRepository(shape: RepositoryShape, root: string): Promise<ShapedRepository> {
  return repositoryShapes[shape](root, runGit)
}

const settings = ['user.name=Test', 'user.email=test@example.invalid', 'protocol.file.allow=always', 'gc.auto=0']

function runGit(cwd: string, ...words: readonly string[]): Promise<unknown> {
  const env = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_EDITOR: 'true' }
  return execa('git', [...settings.flatMap((setting) => ['-c', setting]), ...words], { cwd, env, stdin: 'ignore' })
}

/** Adds an ignore rule to the repository's own list, `info/exclude` below `excludes`. */
async function shaped(
  folder: string,
  branch: string | RegExp = 'main',
  excludes = join(folder, '.git'),
): Promise<ShapedRepository> {
  await mkdir(join(excludes, 'info'), { recursive: true })
  await appendFile(join(excludes, 'info/exclude'), 'excluded\n')
  return { folder, branch, ignored: ['ignored', 'excluded'] }
}

async function withFiles(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'f.txt'), 'one\n')
  await writeFile(join(folder, '.gitignore'), 'ignored\n')
  return folder
}

async function commitAll(folder: string, git: Git): Promise<void> {
  await git(folder, 'add', '--all')
  await git(folder, 'commit', '-q', '--no-verify', '-m', 'start')
}

async function ordinary(root: string, git: Git): Promise<string> {
  const folder = await withFiles(join(root, 'main'))
  await git(folder, 'init', '-q', '-b', 'main')
  await commitAll(folder, git)
  return folder
}

async function worktree(root: string, git: Git): Promise<string> {
  const folder = join(root, 'side')
  await git(await ordinary(root, git), 'worktree', 'add', '-q', folder, '-b', 'side')
  return folder
}

async function withGitFile(root: string, text: string): Promise<ShapedRepository> {
  const folder = await withFiles(join(root, 'main'))
  await writeFile(join(folder, '.git'), text)
  return { folder, branch: null, ignored: ['ignored'] }
}

async function cloned(root: string, git: Git, ...options: readonly string[]): Promise<ShapedRepository> {
  const folder = join(root, 'clone')
  const original = await ordinary(root, git)
  await git(original, 'config', 'uploadpack.allowFilter', 'true')
  await git(root, 'clone', '-q', ...options, `file://${original}`, folder)
  return shaped(folder)
}

/** Makes a repository with branches `main` and `side` that change the same line. */
async function conflicting(root: string, git: Git): Promise<string> {
  const folder = await ordinary(root, git)
  for (const [branch, text] of [
    ['side', 'side\n'],
    ['main', 'mine\n'],
  ] as const) {
    await git(folder, 'checkout', '-q', ...(branch === 'side' ? ['-b'] : []), branch)
    await writeFile(join(folder, 'f.txt'), text)
    await git(folder, 'commit', '-q', '-a', '-m', branch)
  }
  return folder
}
