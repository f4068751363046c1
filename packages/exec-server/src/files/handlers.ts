import { limitConcurrency } from '@parley/host'
import type { ExecMethodName, ExecMethods } from '@parley/protocol/exec'
import { realPathOf } from '@parley/workspace'
import type { PolicyEnforcer } from '../sandbox/enforce-policy.ts'
import type { FileLimits } from '../sandbox/machine-ceiling.ts'
import { reachOf, reachOfItself } from '../sandbox/reach.ts'
import type { ClientLink } from '../wire/client-link.ts'
import { asFileFailure, type ExecHandlers, pathOf, uriOf } from '../wire/requests.ts'
import { makeFolder, removeEntry, replaceFile } from './change-entry.ts'
import { copyEntry } from './copy-entry.ts'
import { assertThere, readFileRange, readFolder, readMetadata } from './read-entry.ts'

type FileMethodName = Extract<ExecMethodName, `fs/${string}`>
type Decoded<Name extends FileMethodName> = ExecMethods[Name]['decoded']

interface PathParams {
  readonly path: string
  readonly sandbox?: unknown
  readonly followLinks?: boolean
}

type Use<Params, Result> = (path: string, params: Params, limits: FileLimits | null) => Promise<Result>

/** Limit of running operations per connection, since each may hold 16 MiB. */
const maxRunning = 2

export function createFileHandlers(link: ClientLink, enforcer: PolicyEnforcer): Pick<ExecHandlers, FileMethodName> {
  const runReading = limitConcurrency(maxRunning)
  const runChanging = limitConcurrency(maxRunning)
  const within = <Params extends PathParams, Result>(run: TaskLimit, use: Use<Params, Result>) => {
    return async (params: Params): Promise<Result> => {
      const path = pathOf(params.path, 'path')
      using limits = await enforcer.files(params.sandbox)
      return await run(() =>
        use(path, params, limits).catch((error: unknown) => Promise.reject(asFileFailure(error, path))),
      )
    }
  }
  // A client that does not read replies waits for the next one.
  const reading: TaskLimit = (task) => runReading(() => link.drained().then(task))
  const onPath = <Params extends PathParams, Result>(use: Use<Params, Result>) => within(reading, use)
  // These have small replies. The server of a later epoch waits for them, so they wait for nothing that a client does.
  const toChange = <Params extends PathParams, Result>(use: Use<Params, Result>) => within(runChanging, use)
  const exact = ({ followLinks }: PathParams) => followLinks === false
  return {
    'fs/readFile': onPath(async (path, params: Decoded<'fs/readFile'>, limits) => {
      const reach = await reachOf(path, 'read', { exact: exact(params), limits })
      return readFileRange(reach, params.offset, params.length ?? null)
    }),
    'fs/writeFile': toChange(async (path, params: Decoded<'fs/writeFile'>, limits) => {
      const { dataBase64, expectedHash, mode } = params
      const reach = await reachOf(path, 'write', { exact: exact(params), limits })
      const bytes = Buffer.from(dataBase64, 'base64')
      return { sha256: await replaceFile(reach, { bytes, expectedHash, mode: mode ?? null }) }
    }),
    'fs/getMetadata': onPath(async (path, _: Decoded<'fs/getMetadata'>, limits) => {
      const target = await reachOf(path, 'look', { exact: false, limits })
      return readMetadata(await reachOfItself(path, 'look', { exact: false, limits }), target)
    }),
    'fs/readDirectory': onPath(async (path, params: Decoded<'fs/readDirectory'>, limits) =>
      readFolder(await reachOf(path, 'read', { exact: exact(params), limits })),
    ),
    'fs/createDirectory': toChange(async (path, params: Decoded<'fs/createDirectory'>, limits) => {
      await makeFolder(await reachOf(path, 'write', { exact: exact(params), limits }), params.recursive)
      return {}
    }),
    'fs/remove': toChange(async (path, params: Decoded<'fs/remove'>, limits) => {
      const { recursive, force } = params
      await removeEntry(await reachOfItself(path, 'write', { exact: exact(params), limits }), {
        recursive,
        force,
        limits,
      })
      return {}
    }),
    'fs/copy': async ({ sourcePath, destinationPath, recursive, sandbox }) => {
      const [from, to] = [pathOf(sourcePath, 'sourcePath'), pathOf(destinationPath, 'destinationPath')]
      using limits = await enforcer.files(sandbox)
      await runChanging(() => copyEntry({ from, to, recursive, limits }))
      return {}
    },
    async 'fs/guards'({ paths, writableRoots }) {
      const kinds = await enforcer.guardOf(
        paths.map((path) => pathOf(path, 'paths')),
        writableRoots.map((root) => pathOf(root, 'writableRoots')),
      )
      return { kinds: [...kinds] }
    },
    'fs/canonicalize': onPath(async (path, { allowMissing }: Decoded<'fs/canonicalize'>, limits) => {
      const reach = await reachOf(path, 'look', { exact: false, limits })
      const real = reach.exact ? reach : { path: await realPathOf(path), exact: false }
      if (!allowMissing) await assertThere(real)
      return { path: uriOf(real.path) }
    }),
  }
}

type TaskLimit = ReturnType<typeof limitConcurrency>
