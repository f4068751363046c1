import { execFileSync } from 'node:child_process'

/** File on one side of a commit: a regular one, a program or a link, with its content or where it leads. */
export interface Version {
  readonly mode: '100644' | '100755' | '120000'
  readonly blob: string
  readonly bytes: Buffer
}

/** File that a commit changes. Paths of a moved one differ. */
export interface ChangedFile {
  readonly path: string
  readonly before: Version | null
  readonly after: Version | null
}

export interface RealCommit {
  readonly repository: string
  readonly hash: string
  readonly files: readonly ChangedFile[]
}

const maxFiles = 12
const maxBytes = 400_000

function git(repository: string, ...words: readonly string[]): Buffer {
  return execFileSync('git', ['-C', repository, ...words], { maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] })
}

/** Draws commits of a repository that a conversation can repeat: a few files of some size and no submodule. */
export function drawCommits(repository: string, count: number, draw: () => number): readonly RealCommit[] {
  const all = git(repository, 'log', '--no-merges', '--format=%H').toString().trim().split('\n')
  const drawn = new Map<string, RealCommit>()
  for (let tries = 0; tries < count * 4 && drawn.size < Math.min(count, all.length); tries++) {
    const hash = all[Math.floor(draw() * all.length)] ?? ''
    const files = hash === '' || drawn.has(hash) ? null : filesOf(repository, hash)
    if (files !== null) drawn.set(hash, { repository, hash, files })
  }
  return [...drawn.values()]
}

function filesOf(repository: string, hash: string): readonly ChangedFile[] | null {
  const words = ['diff-tree', '-r', '-z', '--root', '--no-commit-id', '--no-renames', hash]
  const fields = git(repository, ...words)
    .toString()
    .split('\0')
    .slice(0, -1)
  if (fields.length === 0 || fields.length > maxFiles * 2) return null
  const files: ChangedFile[] = []
  for (let index = 0; index < fields.length; index += 2) {
    const [oldMode = '', newMode = '', oldBlob = '', newBlob = ''] = (fields[index] ?? '').slice(1).split(' ')
    const [before, after] = [versionOf(repository, oldMode, oldBlob), versionOf(repository, newMode, newBlob)]
    if (before === undefined || after === undefined) return null
    files.push({ path: fields[index + 1] ?? '', before, after })
  }
  const isLarge = files.some(
    (file) => Math.max(file.before?.bytes.length ?? 0, file.after?.bytes.length ?? 0) > maxBytes,
  )
  return isLarge ? null : files
}

/** Reads one side; null where there is no file, undefined for a submodule. */
function versionOf(repository: string, mode: string, blob: string): Version | null | undefined {
  if (mode === '000000') return null
  if (mode !== '100644' && mode !== '100755' && mode !== '120000') return undefined
  return { mode, blob, bytes: git(repository, 'cat-file', 'blob', blob) }
}

/** Returns the text of a file, or null for bytes that are not text. */
export function textOf({ bytes, mode }: Version): string | null {
  const text = bytes.toString()
  return mode === '120000' || bytes.includes(0) || Buffer.compare(Buffer.from(text), bytes) !== 0 ? null : text
}

/** Hunk of a diff, with its marks. */
export type DiffHunk = readonly string[]

/** Returns the hunks between two texts, without carriage returns and lines about the end of the file. */
export function hunksBetween(
  repository: string,
  before: Version,
  after: Version,
  context: number,
): readonly DiffHunk[] {
  const diff = git(
    repository,
    'diff',
    `-U${context}`,
    '--text',
    '--no-ext-diff',
    '--no-textconv',
    before.blob,
    after.blob,
  )
  const lines = diff.toString().split('\n').slice(0, -1)
  const hunks: string[][] = []
  for (const line of lines) {
    if (line.startsWith('@@')) hunks.push([line])
    else if (!line.startsWith('\\')) hunks.at(-1)?.push(line.endsWith('\r') ? line.slice(0, -1) : line)
  }
  return hunks
}

/** Returns numbers from 0 to 1 that a seed decides. */
export function drawFrom(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state = (state ^ (state << 5)) >>> 0
    return state / 4_294_967_296
  }
}
