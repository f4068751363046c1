import { realpath } from 'node:fs/promises'
import type { ExecMethodName, ExecMethods } from '@parley/protocol/exec'
import { realPathOf } from '../../../lookup/real-path.ts'
import type { ExecHandlers } from '../handlers.ts'
import type { Link } from '../link.ts'
import { pathOf, uriOf } from '../location.ts'
import { assertUnconfined } from '../sandbox-intent.ts'
import { asFileFailure } from './file-failure.ts'
import { createLane } from './lane.ts'
import { makeFolder } from './make-folder.ts'
import { readFolder, readMetadata, removeEntry } from './metadata.ts'
import { readFileRange } from './read-file.ts'
import { replaceFile } from './write-file.ts'

type FileMethodName = Extract<ExecMethodName, `fs/${string}`>
type FileHandlers = Pick<ExecHandlers, FileMethodName>
type Decoded<Name extends FileMethodName> = ExecMethods[Name]['decoded']

interface Place {
  readonly path: string
  readonly sandbox?: unknown
}

/** At a time, of one connection: each may hold 16 MiB. */
const laneWidth = 2

export function createFileHandlers(link: Link): FileHandlers {
  const lane = createLane(laneWidth)
  const onPath = <Params extends Place, Result>(use: (path: string, params: Params) => Promise<Result>) => {
    return (params: Params): Promise<Result> => {
      assertUnconfined(params.sandbox)
      const path = pathOf(params.path, 'path')
      return lane(async () => {
        await link.drained() // a client that does not read its answers waits for the next
        return use(path, params).catch((error: unknown) => Promise.reject(asFileFailure(error, path)))
      })
    }
  }
  return {
    'fs/readFile': onPath((path, { offset, length, followLinks }: Decoded<'fs/readFile'>) =>
      readFileRange(path, { offset, length: length ?? null, followLinks }),
    ),
    'fs/writeFile': onPath(async (path, { dataBase64, expectedHash, mode }: Decoded<'fs/writeFile'>) => {
      const bytes = Buffer.from(dataBase64, 'base64')
      return { sha256: await replaceFile(path, { bytes, expectedHash, mode: mode ?? null }) }
    }),
    'fs/getMetadata': onPath(readMetadata),
    'fs/readDirectory': onPath(readFolder),
    'fs/createDirectory': onPath(async (path, { recursive }: Decoded<'fs/createDirectory'>) => {
      await makeFolder(path, recursive)
      return {}
    }),
    'fs/remove': onPath(async (path, { recursive, force }: Decoded<'fs/remove'>) => {
      await removeEntry(path, { recursive, force })
      return {}
    }),
    'fs/canonicalize': onPath(async (path, { allowMissing }: Decoded<'fs/canonicalize'>) => ({
      path: uriOf(await (allowMissing ? realPathOf(path) : realpath(path))),
    })),
  }
}
