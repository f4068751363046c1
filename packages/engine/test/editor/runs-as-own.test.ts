import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { diskFiles } from '@parley/workspace'
import { expect, it } from 'vitest'
import { runsAsOwn } from '../../src/editor/runs-as-own.ts'

const programs =
  'node npx npm uv uvx python3 bash make git find env docker deno own-server linked flock cat pnpm java'.split(' ')

/** Home with a workspace `ws`, programs outside of both, and a link into the workspace. */
function openHome() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'parley-own-')))
  const home = join(top, 'home')
  mkdirSync(join(home, 'ws', 'tools'), { recursive: true })
  mkdirSync(join(top, 'bin'))
  for (const name of programs.filter((each) => each !== 'linked')) {
    writeFileSync(join(top, 'bin', name), '#!/bin/sh\n')
    chmodSync(join(top, 'bin', name), 0o755)
  }
  symlinkSync('make', join(top, 'bin', 'linked'))
  symlinkSync('ws', join(home, 'link'))
  symlinkSync('home/ws/tools', join(top, 'to-tools'))
  writeFileSync(join(home, 'ws', 'run'), '#!/bin/sh\n')
  writeFileSync(join(home, 'start.sh'), '#!/bin/bash\n')
  return { top, home, [Symbol.dispose]: () => rmSync(top, { recursive: true }) }
}

interface Launch {
  readonly line: string
  readonly env?: Readonly<Record<string, string>>
  /** Folder of the session below the home. */
  readonly cwd?: string
}

/** Tells if a server starts as the user's own. `{H}` is the home, `{T}` what it lies in, `{W}` the workspace, `·` a blank. */
async function isOwn({ line, env = {}, cwd = 'ws' }: Launch): Promise<boolean> {
  using place = openHome()
  const { top, home } = place
  const filled = (text: string) =>
    text.replaceAll('{W}', join(home, 'ws')).replaceAll('{H}', home).replaceAll('{T}', top).replaceAll('·', ' ')
  const [command = '', ...args] = line.split(' ').map(filled)
  const values = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)]))
  const workspace = { cwd: join(home, cwd), roots: [join(home, cwd)] }
  const machine = { home, env: { PATH: join(top, 'bin') }, files: diskFiles }
  return (await runsAsOwn({ name: 'one', command, args, env: values }, workspace, machine)) !== null
}

const secrets = { GITHUB_PERSONAL_ACCESS_TOKEN: 'ghp_a/b+c==', BRAVE_API_KEY: 'x', DB_PASSWORD: '$(id) {H}' }

it.each<Launch>([
  { line: 'npx -y @modelcontextprotocol/server-github', env: secrets },
  { line: 'npx -y @modelcontextprotocol/server-filesystem@2025.8.21 {W}' },
  { line: 'npx -y @upstash/context7-mcp@latest --api-key abc' },
  { line: 'npx -y mcp-remote https://mcp.example.com:8443/sse' },
  { line: 'npm exec -- @playwright/mcp@latest --headless' },
  { line: 'pnpm dlx some-server' },
  { line: 'uvx mcp-server-git --repository {W}' },
  { line: 'uvx --from git+https://github.com/o/serena serena start-mcp-server --project {W}/' },
  { line: 'uv --directory {T}/servers/weather run weather.py' },
  { line: 'python3 -m mcp_server_fetch --ignore-robots-txt' },
  { line: 'node --no-warnings {T}/servers/index.js {W}', env: { NODE_ENV: 'production', DEBUG: 'mcp:*,-x' } },
  { line: 'deno run -A npm:@scope/server' },
  { line: 'java -Xmx512m -jar {T}/server.jar' },
  { line: 'bash {H}/start.sh', env: { LANG: 'de_DE.UTF-8', LC_ALL: 'C', TZ: 'Europe/Berlin', LOG_LEVEL: 'debug' } },
  { line: 'docker run -i --rm -e GITHUB_TOKEN -v {T}/data:/data ghcr.io/github/github-mcp-server:1.2', env: secrets },
  { line: 'own-server --root {W} --config={H}/own.json -c{T}/x', env: { API_URL: 'https://h.example:1/v1?a=b&c=d/e' } },
  { line: 'own-server {W}-of-others/data', env: { PGHOST: 'localhost', DB_PORT: '5432', AWS_REGION: 'eu-west-1' } },
])('a server that has nothing of a workspace starts as the own: $line', async (launch) => {
  expect(await isOwn(launch)).toBe(true)
})

it.each<Launch>([
  { line: 'make -C{W}' },
  { line: 'make -C {W}' },
  { line: 'make -f {H}/Makefile' },
  { line: 'linked -C {W}' },
  { line: 'git -C{W} x' },
  { line: 'git -C {W} x' },
  { line: 'find {W} -maxdepth 0 -execdir ws/run ;' },
  { line: 'find {H} -name run -exec {} ;' },
  { line: 'env -C / home/x/run' },
  { line: 'env NODE_OPTIONS=--inspect own-server' },
  { line: 'flock {T}/lock sh -c ls' },
  { line: 'bash -c ls' },
  { line: 'node -e 1' },
  { line: 'node -r{W}/x.cjs {T}/index.js' },
  { line: 'node -r {W}/x.cjs {T}/index.js' },
  { line: 'node --import=file:///home/%77s/x.mjs {T}/index.js' },
  { line: 'node {W}' },
  { line: 'node {H}/link/index.js' },
  { line: 'npx --prefix {W} server' },
  { line: 'npx -y {W}' },
  { line: 'npx -y tsx {W}' },
  { line: 'npx -y nodemon@3 {W}' },
  { line: 'python3 -m pytest {W}' },
  { line: 'uv --directory {W} run server.py' },
  { line: 'uv --directory {H} run ws' },
  { line: 'uv run python3 {W}' },
  { line: 'docker run -v {H}:/h image /h/ws/run' },
  { line: 'docker build {W}' },
  { line: 'own-server {W}/tools' },
  { line: 'own-server {W}//run' },
  { line: 'own-server -x{H}/./link/run' },
  { line: 'own-server --text=say·{W},run' },
  { line: 'own-server ws/run' },
  { line: 'own-server ~/x' },
  { line: 'own-server $HOME/x' },
  { line: 'own-server {H}/w?/run' },
  { line: 'own-server --root=ws' },
  { line: 'own-server run' },
  { line: 'own-server /proc/self/cwd/x' },
  { line: 'own-server {H}/x/../ws/run' },
  { line: 'own-server {T}/to-tools/../run' },
  { line: '{W}/run' },
  { line: './run' },
  { line: 'run-that-is-nowhere' },
  { line: 'own-server', cwd: '.' },
  { line: 'own-server', env: { DATA_URL: 'sqlite://{W}/x.db' } },
  { line: 'own-server', env: { DATA_HOST: '{H}/link/x' } },
])('a server in which a workspace has a part, or may have, stays in the sandbox: $line $env', async (launch) => {
  expect(await isOwn(launch)).toBe(false)
})

it.each([
  ...['BASH_FUNC_cd%%', 'BASH_FUNC_x%%_TOKEN', 'MAKEFLAGS', 'VIMINIT', 'LESSOPEN', 'GTK_MODULES', 'QT_PLUGIN_PATH'],
  ...['KUBECONFIG', 'AWS_CONFIG_FILE', 'MISE_NODE_MIRROR_URL', 'ASDF_DIR', 'NVM_DIR', 'VOLTA_HOME', 'PYENV_ROOT'],
  ...['ELECTRON_RUN_AS_NODE', 'PUPPETEER_EXECUTABLE_PATH', 'PUPPETEER_DOWNLOAD_HOST', 'ESBUILD_BINARY_PATH'],
  ...['NODE_EXTRA_CA_CERTS', 'HTTPS_PROXY', 'https_proxy', 'GLIBC_TUNABLES', 'SHELLOPTS', 'PATH', 'HOME', 'LD_PRELOAD'],
  ...[
    'NODE_OPTIONS',
    'npm_config_registry',
    'NPM_CONFIG_KEY',
    'PIP_INDEX_URL',
    'UV_INDEX_URL',
    'HF_ENDPOINT',
    'JSR_URL',
  ],
  ...['PASSWORD_COMMAND', 'RESTIC_PASSWORD_COMMAND', 'DOCKER_HOST', 'GIT_CONFIG_KEY_0', 'EDITOR', 'ANYTHING_ELSE'],
])('a variable that is not known to choose no code keeps a server in the sandbox: %s', async (name) => {
  expect(await isOwn({ line: 'own-server', env: { [name]: '1' } })).toBe(false)
})

it.each([
  ['PORT', 'a[$(id)]'],
  ['LOG_LEVEL', '$(id)'],
  ['LANG', '../../x'],
  ['TZ', ':/etc/passwd'],
  ['DATABASE_URL', 'jdbc:h2:mem:x;INIT=RUNSCRIPT'],
  ['API_URL', 'https://h/$(id)'],
])('a value that has another form than %s has keeps a server in the sandbox: %s', async (name, value) => {
  expect(await isOwn({ line: 'own-server', env: { [name]: value } })).toBe(false)
})
