import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type CliRun,
  type ModelServer,
  runCli,
  type Step,
  startCli,
  startModelServer,
  tempHome,
  tempWorkspace,
  waitUntil,
} from '@parley/testkit'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const program = programs.find((path) => existsSync(path))

/** True where a browser is installed; tests that need one are skipped, and say so, elsewhere. */
export const hasBrowser = program !== undefined

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
    ...(program === undefined ? {} : { executablePath: program }),
    headless: true,
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...['--headless', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync'],
    ],
  })
}

export async function closeBrowser(): Promise<void> {
  await (await launched)?.close()
  launched = null
}

export async function pageWorld(steps: readonly Step[], files: Record<string, string> = {}): Promise<PageWorld> {
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

function linksOf(run: CliRun): readonly string[] {
  return run.stdout().match(/^http:\S+$/gm) ?? []
}
