import { isAbsolute, resolve } from 'node:path'
import { startedByProgram } from '@parley/host'
import { projectRoot } from '@parley/policy'
import type { ConversationState } from '@parley/protocol'
import { type Environment, findProgram, liesWithin, realOrGiven, whenUnknown } from '@parley/workspace'
import type { EditorServer } from '../../ports/editor-servers.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'

/** Names of variables by which programs find others, or load code that no word of the command names. */
const loading = new RegExp(
  `^(?:${[
    'PATH|HOME|SHELL|ENV|BASH_ENV|ZDOTDIR|IFS|PS4|PROMPT_COMMAND|EDITOR|VISUAL|PAGER|BROWSER|XDG_.*',
    'LD_.*|DYLD_.*|GCONV_PATH|MALLOC_.*|OPENSSL_.*|SSLKEYLOGFILE',
    'NODE_OPTIONS|NODE_PATH|NODE_REPL_.*|NPM_.*|YARN_.*|PNPM_.*|BUN_.*|DENO_.*|COREPACK_.*|TS_NODE_.*|TSX_.*',
    'PYTHON(?!UNBUFFERED|IOENCODING|UTF8).*|PIP_.*|PIPX_.*|UV_.*|POETRY_.*|VIRTUAL_ENV|CONDA_.*',
    'PERL5.*|PERLLIB|RUBYOPT|RUBYLIB|GEM_.*|BUNDLE_.*|PHPRC|PHP_INI_.*|LUA_.*|R_.*',
    'JAVA_.*|JDK_.*|_JAVA_OPTIONS|CLASSPATH|MAVEN_.*|GRADLE_.*|DOTNET_.*|CORECLR_.*|COMPLUS_.*|GO(?:FLAGS|PROXY|PATH|ROOT|BIN)',
    'CARGO_.*|RUSTC.*|GIT_.*|SSH_.*|DOCKER_.*|PARLEY_HOME',
  ].join('|')})$`,
  'i',
)

/** Folder of a session, and all folders that its commands or its project may change, by their real paths. */
interface Around {
  readonly cwd: string
  readonly roots: readonly string[]
  readonly environment: Environment
}

/**
 * Resolves to the path of the program of a server that has nothing to do with a workspace; null for any other, and for one
 * that is not found. Neither the program nor its script lies in one, it is given no file of one, and no variable chooses
 * code: what a repository brings does not run as the user.
 */
export async function runsAsOwn(
  server: EditorServer,
  state: Pick<ConversationState, 'core'>,
  environment: Environment,
): Promise<string | null> {
  const { cwd, roots } = workspaceOf(state)
  const project = projectRoot(cwd)?.folder
  const folders = [...roots.map(realOrGiven), ...(project === undefined ? [] : [project])]
  const around = { cwd: realOrGiven(cwd), roots: folders, environment }
  const { command, args, env } = server
  if (Object.keys(env).some((name) => loading.test(name)) || (await startsThere(server, around))) return null
  for (const text of args) if (await leadsThere(text, around, { mayBeFolder: true })) return null
  for (const text of Object.values(env)) if (await leadsThere(text, around, { mayBeFolder: false })) return null
  return (await found(command, env, around)).path
}

/** Tells if the program lies in one of the folders, or a script that it runs, there or not. */
async function startsThere({ command, args, env }: EditorServer, around: Around): Promise<boolean> {
  const { cwd, roots, environment } = around
  const started = startedByProgram({ words: [command, ...args], cwd }, environment.home)
  for (const { word, isFile } of started) {
    if (!isFile && (await found(word, env, around)).insideRoots) return true
    if (isFile && isWithin(resolve(cwd, word), roots)) return true
  }
  return false
}

function found(name: string, env: EditorServer['env'], { cwd, roots, environment }: Around) {
  const searchPath = env['PATH'] ?? environment.env['PATH'] ?? ''
  return findProgram({ name, searchPath, cwd, roots, files: environment.files })
}

function isWithin(path: string, roots: readonly string[]): boolean {
  return [path, realOrGiven(path)].some((one) => roots.some((root) => liesWithin(one, root)))
}

/**
 * Tells if a text, or a part of it, leads into one of the folders. With `mayBeFolder` a whole text may be the path of a
 * folder, which a program works on. A relative path counts where something is there, since the program starts elsewhere.
 */
async function leadsThere(
  text: string,
  { cwd, roots, environment }: Around,
  { mayBeFolder }: { mayBeFolder: boolean },
) {
  for (const piece of [text, ...text.split(/[\s=,:;'"()|&<>]+/)]) {
    const path = resolve(cwd, piece)
    if (piece === '' || !isWithin(path, roots)) continue
    const kind = await environment.files.look(realOrGiven(path)).then((facts) => facts.kind, whenUnknown(null))
    if (isAbsolute(piece) ? !(mayBeFolder && piece === text && kind === 'folder') : kind !== null) return true
  }
  return false
}
