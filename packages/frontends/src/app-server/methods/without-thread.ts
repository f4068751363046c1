import { basename, isAbsolute, resolve } from 'node:path'
import type { ClientEntry, ClientPath, ClientRead } from '@parley/engine'
import { errorCode } from '@parley/text'
import { liesWithin, systemErrorReason } from '@parley/workspace'
import type { AppSession } from '../threads/session.ts'
import { codexError, codexFailure } from '../wire/codex-error.ts'
import { codexParams } from '../wire/params.ts'
import { type AppMethod, method, refused } from './method.ts'

/** Longest file that an answer takes, which is one line. */
const maxFileBytes = 16 * 1024 * 1024

/** Methods that run a command without a thread, and reach it while it runs. */
export const commandMethods: Readonly<Record<string, AppMethod>> = {
  'command/exec': method(codexParams.commandExec, ({ commands }, params) => commands.run(params)),
  'command/exec/write': method(codexParams.commandWrite, ({ commands }, params) => commands.write(params)),
  'command/exec/resize': method(codexParams.commandResize, ({ commands }, params) => commands.resize(params)),
  'command/exec/terminate': method(codexParams.commandTerminate, ({ commands }, params) => commands.terminate(params)),
}

/** Methods that read files, each judged like a read in a thread. Methods that would change files are refused. */
export const fileMethods: Readonly<Record<string, AppMethod>> = {
  'fs/readFile': method(codexParams.ofPath, async (session, { path }) => {
    const content = await readPath(session, path, (place) => session.parts.files.read(place, maxFileBytes))
    if (content === null) throw codexError(`path \`${path}\` is not a file of at most ${maxFileBytes} bytes`)
    return { dataBase64: content.toString('base64') }
  }),
  'fs/readDirectory': method(codexParams.ofPath, async (session, { path }) => {
    const entries = await readPath(session, path, session.parts.files.list)
    return { entries: entries.map(({ name, kind }) => ({ fileName: name, ...kindShape(kind) })) }
  }),
  'fs/getMetadata': method(codexParams.ofPath, async (session, { path }) => {
    const { kind, isLink, createdAtMs, modifiedAtMs } = await readPath(session, path, session.parts.files.look)
    return { ...kindShape(kind), isSymlink: isLink, createdAtMs, modifiedAtMs }
  }),
  fuzzyFileSearch: method(codexParams.fileSearch, async (session, { query, roots }) => {
    const found = await Promise.all(roots.map((root) => findFiles(session, root, query)))
    return { files: found.flat().toSorted((one, other) => other.score - one.score) }
  }),
  ...refused(
    ['fs/writeFile', 'fs/createDirectory', 'fs/remove', 'fs/copy'],
    'this server changes files only by patches of a thread, which are judged and shown',
  ),
}

/** Finds files and folders below a root, the best first; an empty list below a missing root. */
async function findFiles(session: AppSession, root: string, query: string) {
  if (query === '') return []
  const paths = await readPath(session, root, (place) => session.parts.files.find(place, query))
  return paths.map((path, index) => ({
    root,
    path: path.replace(/\/$/, ''),
    match_type: path.endsWith('/') ? 'directory' : 'file',
    file_name: basename(path),
    score: paths.length - index,
    indices: null,
  }))
}

function kindShape(kind: ClientEntry['kind']) {
  return { isDirectory: kind === 'folder', isFile: kind === 'file' }
}

/** Reads a path by the configuration of the thread that it lies in, else of the folder the server was started in. */
async function readPath<Found>(
  session: AppSession,
  path: string,
  read: (place: ClientPath) => Promise<ClientRead<Found>>,
): Promise<Found> {
  if (!isAbsolute(path)) throw codexError(`Invalid request: the path is not absolute: ${path}`)
  const folders = session.threads.map(({ conversation }) => conversation.state.core.meta.cwd)
  const cwd = folders.find((folder) => liesWithin(path, folder)) ?? resolve('.')
  const answer = await read({ path, cwd }).catch((error: unknown) => {
    throw errorCode(error) === null ? error : codexFailure(systemErrorReason(error))
  })
  if (answer.kind === 'refused') throw codexError(`${path}: ${answer.reason}`)
  return answer.found
}
