import { RpcError } from '@parley/rpc'
import { contentHash } from '../patch/file-plan.ts'
import type { ExecLink } from './link.ts'
import { pathOfUri } from './remote-files.ts'

interface CopiedFile {
  /** Relative to the folder of the copy. */
  readonly path: string
  readonly bytes: Buffer
  readonly isProgram: boolean
}

/** Read-only copies of files on another machine, outside of what commands there may write to. */
export interface RemoteCopies {
  /** Resolves with the folder that has exactly these files. Rejects with a sentence. */
  place(files: readonly CopiedFile[]): Promise<string>
}

/** Bytes of one copy, which is sent in one request. */
const mostBytes = 16 * 1024 * 1024

export function remoteCopies(link: Pick<ExecLink, 'ask'>): RemoteCopies {
  return {
    async place(files) {
      const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0)
      if (bytes > mostBytes)
        throw new Error(`its files have more than ${mostBytes / 1024 / 1024} MiB, which are not sent to its machine`)
      const sent = files.map(({ path, bytes: content, isProgram }) => ({
        path,
        dataBase64: content.toString('base64'),
        executable: isProgram,
      }))
      const key = contentHash(JSON.stringify(sent))
      // A new session has no copies, so each use asks again.
      const known = await ask(link, { key })
      const made = known.folder ?? (await ask(link, { key, files: sent })).folder
      if (made === null) throw new Error('its files were not copied by the exec-server')
      return pathOfUri(made)
    },
  }
}

async function ask(link: Pick<ExecLink, 'ask'>, params: Parameters<typeof link.ask<'copy/make'>>[1]) {
  try {
    return await link.ask('copy/make', params)
  } catch (error) {
    if (!(error instanceof RpcError) || error.data?.code !== 'methodNotFound') throw error
    throw new Error('the exec-server of its machine is too old to run hooks of a project: update it')
  }
}
