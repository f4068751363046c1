import { basename, dirname, join } from 'node:path'
import { isMissing } from '@parley/text'
import {
  type EnvironmentFiles,
  EnvironmentUnreachableError,
  liesWithin,
  systemErrorReason,
  whenUnknown,
} from '@parley/workspace'
import { type ContentCache, hashOfContent } from './content-cache.ts'
import { type ProjectTree, tooLarge, type WantedFile } from './project-tree.ts'

/** Limits of one reading, so that a project elsewhere does not fill the memory of a server. */
const readingLimits = { bytes: 32 * 1024 * 1024, questions: 5000, rounds: 100 } as const

/**
 * Reads files of another machine with code for a local disk. Files that the code asks for are fetched, and it runs
 * again until it asks for no further file. Its result is valid for the files as they were then. Content in `kept` is
 * not fetched again. Rejects with `EnvironmentUnreachableError`.
 */
export async function readRemoteTree<Result>(
  files: EnvironmentFiles,
  read: (tree: ProjectTree) => Result,
  kept: ContentCache | null = null,
): Promise<Result> {
  const answers = new FetchedAnswers(files, kept)
  for (let round = 0; round < readingLimits.rounds; round += 1) {
    collectQuestions(() => read(answers.tree))
    if (!answers.hasOpen) break
    await answers.fetch()
  }
  answers.close()
  return read(answers.tree)
}

/** Runs a reading for its questions. An open question may end it. */
function collectQuestions(read: () => unknown): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof NotFetchedError)) throw error
  }
}

/** Thrown at code that asks for an answer that is not fetched yet, or may no longer be fetched. */
class NotFetchedError extends Error {
  override readonly name = 'NotFetchedError'

  constructor() {
    super('it was not fetched from its machine')
  }
}

type FetchedAnswer = { readonly value: unknown } | { readonly error: unknown }

/** Answers of another machine to questions about its files. */
class FetchedAnswers {
  readonly #files: EnvironmentFiles
  readonly #kept: ContentCache | null
  readonly #known = new Map<string, FetchedAnswer>()
  readonly #open = new Map<string, () => Promise<unknown>>()
  #leftBytes: number = readingLimits.bytes
  #isClosed = false

  constructor(files: EnvironmentFiles, kept: ContentCache | null) {
    this.#files = files
    this.#kept = kept
  }

  get hasOpen(): boolean {
    return this.#open.size > 0
  }

  close(): void {
    this.#isClosed = true
    this.#open.clear()
  }

  /** Fetches the answers to all open questions. */
  async fetch(): Promise<void> {
    const open = [...this.#open]
    this.#open.clear()
    await Promise.all(
      open.map(async ([question, ask]) => {
        this.#known.set(question, await ask().then((value) => ({ value }), failed))
      }),
    )
  }

  readonly tree: ProjectTree = {
    real: (path) => this.#answer(`real ${path}`, () => realPath(this.#files, path)),
    look: (path) => this.#answer(`look ${path}`, () => lookAt(this.#files, path)),
    list: (folder) => this.#answer(`list ${folder}`, () => listFolder(this.#files, folder)),
    isProgram: (path) => this.#isProgram(path),
    visit: (wanted, visit) => {
      const content = this.#content(wanted)
      if (typeof content === 'string') return content
      visit(content)
      return null
    },
    hash: (wanted) => {
      const content = this.#content(wanted)
      if (typeof content === 'string') return { problem: content }
      return { hash: hashOfContent(content), sizeBytes: content.length }
    },
  }

  #content({ root, path, maxBytes }: WantedFile): Buffer | string {
    const wanted = join(root, path)
    try {
      const read = this.#answer(`read ${wanted}`, () => this.#read(root, wanted))
      return typeof read !== 'string' && read.length > maxBytes ? tooLarge(maxBytes) : read
    } catch (error) {
      return isMissing(error) ? 'absent' : systemErrorReason(error)
    }
  }

  /** Returns false before the answer, so that all places of a search path are asked for together. */
  #isProgram(path: string): boolean {
    try {
      return this.#answer(`program ${path}`, () => this.#files.isProgram(path))
    } catch (error) {
      if (this.#isClosed || !(error instanceof NotFetchedError)) throw error
      return false
    }
  }

  #answer<Value>(question: string, ask: () => Promise<Value>): Value
  #answer(question: string, ask: () => Promise<unknown>): unknown {
    const known = this.#known.get(question)
    if (known === undefined) {
      if (!this.#isClosed && this.#known.size + this.#open.size < readingLimits.questions) this.#open.set(question, ask)
      throw new NotFetchedError()
    }
    if ('error' in known) throw known.error
    return known.value
  }

  /**
   * Reads a whole file below `root`; returns a sentence for a missing file, a path that leads out, and a file that is
   * too large.
   */
  async #read(root: string, path: string): Promise<Buffer | string> {
    const entry = await lookAt(this.#files, path)
    if (entry === null) return 'absent'
    if (entry.kind === 'link') return 'it is a link'
    if (entry.kind !== 'file') return 'it is no file'
    const real = await realPath(this.#files, path)
    if (!liesWithin(real, await realPath(this.#files, root))) return 'it lies outside the project'
    if (entry.sizeBytes > this.#leftBytes) return tooLarge(this.#leftBytes)
    this.#leftBytes -= entry.sizeBytes
    const isProgram = await this.#files.isProgram(real)
    // Readers of a file ask for these next.
    this.#known.set(`look ${real}`, { value: entry }).set(`program ${real}`, { value: isProgram })
    const known = this.#kept?.find(real, entry.state) ?? null
    if (known !== null) return known
    await using file = await this.#files.open(real)
    const content = await readWhole(file, entry.sizeBytes)
    if (typeof content === 'string' || entry.state === '') return content
    // Kept under the state before the reading: a write during the reading counts at the next one.
    return this.#kept?.keep(real, entry.state, content) ?? content
  }
}

/** Reads a file of a known size; a sentence where it has another one by now. */
async function readWhole(
  file: Awaited<ReturnType<EnvironmentFiles['open']>>,
  sizeBytes: number,
): Promise<Buffer | string> {
  const chunks: Buffer[] = []
  let total = 0
  for (;;) {
    const chunk = await file.read(total, sizeBytes + 1 - total)
    if (chunk.length === 0) break
    total += chunk.length
    if (total > sizeBytes) break
    // The bytes are valid only until the next read.
    chunks.push(Buffer.from(chunk))
  }
  return total === sizeBytes ? Buffer.concat(chunks) : 'it changed while it was read'
}

function failed(error: unknown): FetchedAnswer {
  if (error instanceof EnvironmentUnreachableError) throw error
  return { error }
}

/** Resolves links in the path of an existing file. Rejects where there is no file. */
async function realPath(files: EnvironmentFiles, path: string): Promise<string> {
  await files.look(path)
  return files.realPath(path)
}

async function lookAt(files: EnvironmentFiles, path: string): Promise<ReturnType<ProjectTree['look']>> {
  const found = await files.look(path).catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })
  if (found === null) return null
  // The machine may hide the folder above the root.
  const above = files.realPath(dirname(path)).catch(whenUnknown(dirname(path)))
  const [real, folder] = await Promise.all([files.realPath(path), above])
  const kind = real === join(folder, basename(path)) ? found.kind : 'link'
  // Owners are not checked there: users with write access can also change programs that run there without parley.
  return { kind, sizeBytes: found.sizeBytes, state: found.state ?? '', stranger: null }
}

/** Most names of a folder: as many as a skill or the hooks of a project may have files, and more. */
const mostNames = 2000

async function listFolder(files: EnvironmentFiles, folder: string): Promise<ReturnType<ProjectTree['list']>> {
  const { entries } = await files.list(await realPath(files, folder), mostNames)
  return entries
}
