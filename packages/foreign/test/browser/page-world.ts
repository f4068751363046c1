import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type CliRun,
  type ModelServer,
  runCli,
  type ScriptedStep,
  startCli,
  startModelServer,
  tempHome,
  tempWorkspace,
  waitUntil,
} from '@parley/testkit'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { browserProgram } from './browser-program.ts'

/** True where a browser is installed; tests that need one are skipped, and say so, elsewhere. */
export const hasBrowser = browserProgram !== undefined

/** A server with its page, a scripted model behind it, and a browser. */
export interface PageWorld extends AsyncDisposable {
  readonly model: ModelServer
  readonly cwd: string
  readonly run: CliRun
  /** Starts `parley web` another time on the same home. */
  start(args?: readonly string[]): Promise<{ readonly run: CliRun; readonly link: string }>
  /** Asks the running command for another link. */
  newLink(): Promise<string>
  readonly link: string
  readonly browser: BrowserContext
  /** Writes the newest conversation by `parley export` and resolves to the address of the file. */
  exported(form: string): Promise<string>
  /** Opens a link and waits for the list. */
  open(link: string): Promise<Page>
}

/** Browser of all worlds; each world has a context with cookies and storage of its own. */
let launched: Promise<Browser> | null = null

function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(browserProgram === undefined ? {} : { executablePath: browserProgram }),
    headless: true,
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...['--headless', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync'],
      // A browser treats the answers of a test in place of a server as from the internet, and asks before such a page
      // may reach this machine.
      '--disable-features=LocalNetworkAccessChecks',
    ],
  })
}

export async function closeBrowser(): Promise<void> {
  await (await launched)?.close()
  launched = null
}

export async function pageWorld(
  steps: readonly ScriptedStep[],
  files: Record<string, string> = {},
): Promise<PageWorld> {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(await startModelServer(steps))
  const home = stack.use(await tempHome())
  const workspace = stack.use(await tempWorkspace({ files }))
  await writeFile(join(home.env.PARLEY_HOME, 'config.toml'), `openai_base_url = "${model.url}"\nmodel = "gpt-5"\n`)
  const env = { ...home.env, OPENAI_API_KEY: 'a-key' }
  const runs = stack.use(new AsyncDisposableStack())
  const start = async (args: readonly string[] = []) => {
    const run = runs.use(
      startCli(['web', ...args], { env, cwd: workspace.path, keepStdinOpen: true, timeoutMs: 120_000 }),
    )
    await waitUntil(() => run.stderr().includes('Enter makes') || run.stderr().includes('parley:'), { what: 'a link' })
    return { run, link: linksOf(run).at(-1) ?? run.stderr() }
  }
  const first = await start()
  launched ??= launchBrowser()
  const browser = stack.adopt(await (await launched).newContext(), (context) => context.close())
  const owned = stack.move()
  return {
    model,
    cwd: workspace.path,
    ...first,
    start,
    browser,
    async newLink() {
      const known = linksOf(first.run).length
      first.run.write('\n')
      await waitUntil(() => linksOf(first.run).length > known, { what: 'another link' })
      return linksOf(first.run).at(-1) ?? ''
    },
    async exported(form) {
      const path = join(home.path, `exported.${form}`)
      const { exitCode, stderr } = await runCli(['export', '-o', path], { env, cwd: workspace.path })
      if (exitCode !== 0) throw new Error(stderr)
      return `file://${path}`
    },
    async open(link) {
      const page = await browser.newPage()
      await page.goto(link)
      return page
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** A server of a team that serves the page, and browsers of its users. */
export interface TeamWorld extends AsyncDisposable {
  readonly origin: string
  readonly cwd: string
  /** Runs a command as a user, and resolves to its output. */
  run(user: string, ...args: readonly string[]): Promise<string>
  /** Opens the page in a browser of its own, at a fragment. */
  open(fragment: string): Promise<Page>
  /** Opens the page and signs in. */
  openAs(user: string, fragment: string): Promise<Page>
  /** Kills the server. */
  kill(): Promise<void>
}

/** Signs in on an open page. */
export async function signIn(page: Page, user: string): Promise<void> {
  await page.getByLabel('Token').fill(user)
  await page.getByLabel('Token').press('Enter')
}

/** Starts a server with users, each of whom has their name as token. */
export async function teamWorld(users: readonly string[], steps: readonly ScriptedStep[]): Promise<TeamWorld> {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(await startModelServer(steps))
  const home = stack.use(await tempHome())
  const workspace = stack.use(await tempWorkspace())
  await writeFile(join(home.env.PARLEY_HOME, 'config.toml'), `openai_base_url = "${model.url}"\nmodel = "gpt-5"\n`)
  const file = join(home.path, 'users')
  const lines = users.map((name) => `${name} member sha256:${createHash('sha256').update(name).digest('hex')}\n`)
  await writeFile(file, lines.join(''), { mode: 0o600 })
  const options = { env: { ...home.env, OPENAI_API_KEY: 'a-key' }, cwd: workspace.path, timeoutMs: 120_000 }
  const server = stack.use(startCli(['server', '--listen', 'ws://127.0.0.1:0', '--users', file, '--page'], options))
  const at = () => /with the page at (http:\S+)/.exec(server.stderr())?.[1]
  await waitUntil(() => at() !== undefined, { what: 'the page of the server' })
  const origin = at() ?? ''
  launched ??= launchBrowser()
  const browser = await launched
  const owned = stack.move()
  async function open(fragment: string): Promise<Page> {
    const context = owned.adopt(await browser.newContext(), (opened) => opened.close())
    const page = await context.newPage()
    await page.goto(`${origin}/#${fragment}`)
    return page
  }
  return {
    origin,
    cwd: workspace.path,
    async run(user, ...args) {
      const env = { ...options.env, PARLEY_SERVER_TOKEN: user }
      const to = ['--server', origin.replace('http:', 'ws:')]
      const { exitCode, stdout, stderr } = await runCli([...args, ...to], { ...options, env })
      if (exitCode !== 0) throw new Error(stderr)
      return stdout + stderr
    },
    open,
    async kill() {
      server.signal('SIGKILL')
      await server.result
    },
    async openAs(user, fragment) {
      const page = await open(fragment)
      await signIn(page, user)
      return page
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function linksOf(run: CliRun): readonly string[] {
  return run.stdout().match(/^http:\S+$/gm) ?? []
}
