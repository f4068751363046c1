import { outermostFolders } from '@parley/host'
import type { ChangedPath, ConversationState } from '@parley/protocol'
import {
  type ContentStore,
  createFileTable,
  type Environment,
  EnvironmentUnreachableError,
  type FileTable,
  isSecret,
  keepNamed,
  maxWatchedFiles,
  maxWatchedInFolder,
  openContentStore,
  readTable,
  realOrGiven,
  succeeds,
  sweepStore,
  systemErrorReason,
  tableFile,
  writeTable,
} from '@parley/workspace'
import { workspaceOf } from '../limits/workspace-folders.ts'
import { type ChangedNames, createChangedNames } from './changed-names.ts'
import { bringContents } from './kept-contents.ts'

/** Earlier contents of the files of a conversation, to which a user can go back. */
export interface FileHistory extends AsyncDisposable {
  readonly environment: Environment
  readonly store: ContentStore
  readonly names: ChangedNames
  /** Fetches contents that another server has kept, as far as they are to be had. */
  bring(hashes: Iterable<string>): Promise<void>
  /** Sentence on what commands change that is not covered; null where all is. */
  readonly problem: () => string | null
  /** Begins to read files in the background, a second from now: whatever a start has to do comes first. */
  begin(): void
  /** Runs an effect alone, and hands over what changed meanwhile before it resolves. */
  around<Result>(effect: Effect<Result>): Promise<Result>
  /** Runs a function while no effect runs. */
  alone<Result>(run: (around: FileHistory['around']) => Promise<Result>): Promise<Result>
}

interface Effect<Result> {
  /** Real paths that the effect says it will change, wherever they lie. */
  readonly named: readonly string[]
  readonly run: () => Promise<Result>
  /** Records what changed; not called for nothing. */
  readonly record: (changes: readonly ChangedPath[]) => Promise<void>
}

interface HistoryParts {
  readonly state: () => ConversationState
  readonly environment: Environment
  /** Folder of the contents. */
  readonly folder: string
  /** Resolves to a content that the servers of a store have; null where they do not. */
  readonly fetch: (hash: string) => Promise<Uint8Array | null>
  readonly now: () => number
  readonly redact: (text: string) => string
  /** Called with the sentence of `problem` when a look begins to fail; `fault` is the cause, undefined for a large folder. */
  readonly onUncovered: (problem: string, fault?: unknown) => void
  /** Takes a change that could not be recorded. */
  readonly onFault: (fault: unknown) => void
}

/** Longest time that the first effect waits for contents to be kept, in ms. */
const keepPatienceMs = 500
const beginAfterMs = 1000

export function createFileHistory(parts: HistoryParts): FileHistory {
  const { state, environment, folder, fetch, now, redact, onUncovered, onFault } = parts
  const store = openContentStore(folder)
  const closed = new AbortController()
  let watch: Watch | null = null
  let timer: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()
  const { covered, failed } = createCoverage(() => sizeProblem(watch), onUncovered)

  const realRoots = () => workspaceOf(state()).roots.map(realOrGiven)
  const rootsNow = () => outermostFolders(realRoots())

  /**
   * Returns the table of the folders of the conversation, a new one after the folders changed; null when it cannot be
   * made.
   */
  function watched(): Watch | null {
    if (environment.name !== null) return null
    const roots = rootsNow()
    if (watch?.roots.join('\0') !== roots.join('\0'))
      watch = openWatch({ roots, store, now, signal: closed.signal, secrets: environment.secrets })
    return watch
  }

  async function before(named: readonly string[]): Promise<Looked> {
    const table = await watched()?.ready()
    await table?.look()
    const secrets = await environment.secrets()
    const kept = named.filter((path) => !isSecret(path, secrets))
    const contents = await Promise.all(kept.map((path) => keepNamed(path, environment.patches, store)))
    return { table: table ?? null, named: kept.map((path, index) => [path, contents[index] ?? null]) }
  }

  async function after({ table, named }: Looked): Promise<readonly ChangedPath[]> {
    const found = (await table?.look()) ?? []
    const own = await Promise.all(
      named.map(async ([path, content]) => {
        return { path, before: content, after: await keepNamed(path, environment.patches, store) }
      }),
    )
    const isNamed = new Set(own.map(({ path }) => path))
    return [...own.filter(isChange), ...found.filter(({ path }) => !isNamed.has(path))]
  }

  /** Looks before and after. A failure to look or to record costs the history, never the effect. */
  async function around<Result>({ named, run, record }: Effect<Result>): Promise<Result> {
    const looked = await covered(() => before(named))
    try {
      return await run()
    } finally {
      const changes = looked === null ? null : await covered(() => after(looked))
      if (changes?.length) await record(changes).catch(onFault)
    }
  }

  function alone<Result>(run: (inside: FileHistory['around']) => Promise<Result>): Promise<Result> {
    const mine = last.then(() => run(around))
    last = mine.catch(() => undefined)
    return mine
  }

  return {
    environment,
    store,
    names: createChangedNames({ redact, roots: realRoots, files: environment.patches }),
    bring: (hashes) => bringContents(new Set(hashes), store, fetch),
    alone,
    around: (effect) => alone((inside) => inside(effect)),
    problem() {
      if (environment.name === null) return failed() ?? sizeProblem(watch)
      return `What commands change in the environment ${environment.name} is not covered, only patches are.`
    },
    begin() {
      // A failure shows at the first effect, which looks again.
      timer = setTimeout(() => void succeeds(async () => watched()?.ready()), beginAfterMs)
      timer.unref()
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer)
      closed.abort()
      await last
    },
  }
}

/** Says once that looks fail, or why they do not cover all. */
function createCoverage(limit: () => string | null, onUncovered: HistoryParts['onUncovered']) {
  /** Sentence on the last look, where that failed. */
  let failed: string | null = null
  let told: string | null = null

  function tell(problem: string | null, fault?: unknown): void {
    if (problem !== null && problem !== told) onUncovered(problem, fault)
    told = problem ?? told
  }

  /** Resolves to null for a look that failed. */
  async function covered<Result>(look: () => Promise<Result>): Promise<Result | null> {
    try {
      const result = await look()
      failed = null
      tell(limit())
      return result
    } catch (fault) {
      if (fault instanceof EnvironmentUnreachableError) return null
      failed = failedProblem(fault)
      tell(failed, fault)
      return null
    }
  }

  return { covered, failed: () => failed }
}

function sizeProblem(watch: Watch | null): string | null {
  if (watch?.isTooLarge() === true)
    return `What commands change is not covered here, only patches are: the folder has more than ${inWords(maxWatchedFiles)} files that are not ignored.`
  const [first, ...more] = watch?.leftOut() ?? []
  if (first === undefined) return null
  const others = more.length === 0 ? '' : ` and ${more.length} more`
  return `What commands change is not covered in ${first}${others}, only patches are: more than ${inWords(maxWatchedInFolder)} files lie directly in it that are not ignored. All else is covered.`
}

function inWords(count: number): string {
  return count.toLocaleString('en-US')
}

function failedProblem(fault: unknown): string {
  return `What calls change is not covered now: the files here could not be looked at (${systemErrorReason(fault)}).`
}

interface Looked {
  readonly table: ReadyTable | null
  readonly named: readonly (readonly [path: string, content: ChangedPath['before']])[]
}

function isChange({ before, after }: ChangedPath): boolean {
  if (before === null || after === null) return before !== after
  return before.hash !== after.hash || before.mode !== after.mode || before.link !== after.link
}

/** Table with the contents that there was time to keep. */
interface ReadyTable {
  /** Returns what changed since the last look; null where there are too many files. */
  look(): Promise<readonly ChangedPath[] | null>
}

interface Watch {
  readonly roots: readonly string[]
  readonly isTooLarge: () => boolean
  /** See `FileTable`. */
  readonly leftOut: () => readonly string[]
  /** Resolves when all files were looked at once, and their contents are kept or the wait for that is over. */
  ready(): Promise<ReadyTable>
}

interface WatchParts {
  readonly roots: readonly string[]
  readonly store: ContentStore
  readonly now: () => number
  readonly signal: AbortSignal
  readonly secrets: Environment['secrets']
}

function openWatch({ roots, store, now, signal, secrets }: WatchParts): Watch {
  let isTooLarge = false
  let leftOut: () => readonly string[] = () => []
  let opened: Promise<{ readonly table: FileTable; readonly kept: Promise<void> }> | null = null

  async function open() {
    const table = createFileTable({ roots, store, secrets: await secrets() })
    leftOut = table.leftOut
    isTooLarge = (await table.look()) === null
    const kept = isTooLarge ? Promise.resolve() : keepAll(table)
    kept.catch(() => undefined)
    return { table, kept }
  }

  async function keepAll(table: FileTable): Promise<void> {
    const path = tableFile(store.folder, roots)
    table.adopt(await readTable(path))
    const unread = [...table.files.values()].filter(({ content }) => content === null).length
    await table.keep(signal)
    if (unread === 0 || signal.aborted) return
    await writeTable(path, table.files)
    await sweepStore(store.folder, { nowMs: now() })
  }

  return {
    roots,
    isTooLarge: () => isTooLarge,
    leftOut: () => leftOut(),
    async ready() {
      opened ??= open().catch((fault: unknown) => {
        // The next effect tries again.
        opened = null
        throw fault
      })
      const { table, kept } = await opened
      const { promise: tooLong, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, keepPatienceMs)
      await Promise.race([kept, tooLong])
      clearTimeout(timer)
      return {
        async look() {
          if (isTooLarge) return null
          const changes = await table.look()
          isTooLarge = changes === null
          return changes
        },
      }
    },
  }
}
