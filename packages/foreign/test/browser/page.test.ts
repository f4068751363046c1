import type { AnswerStep } from '@parley/testkit'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, test, vi } from 'vitest'
import { hasBrowser, pageWorld } from './page-world.ts'

vi.setConfig({ testTimeout: 90_000 })
if (!hasBrowser) process.stderr.write('no Chromium is installed: the tests of the page in a browser are skipped\n')

const escalate = (command: string): AnswerStep => ({
  calls: [{ name: 'shell', arguments: { command, escalate: true, reason: 'It needs to.' } }],
})

/** Opens a new conversation in the page. */
async function begin(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New conversation' }).click()
  await page.getByRole('button', { name: 'Begin' }).click()
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.getByRole('textbox', { name: 'Message' }).press('Enter')
}

/** Script that keeps the websockets of a page, so that a test can end them. */
const keepSockets =
  'globalThis.sockets = []; globalThis.WebSocket = class extends WebSocket { constructor(url) { super(url); sockets.push(this) } }'

/** Returns what axe finds wrong, as rule and element. */
async function faults(page: Page): Promise<readonly string[]> {
  // In a world of its own: the page's policy lets no text become code.
  const session = await page.context().newCDPSession(page)
  const { frameTree } = await session.send('Page.getFrameTree')
  const world = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id })
  const { executionContextId: contextId } = world
  await session.send('Runtime.evaluate', { expression: axe.source, contextId })
  const expression = `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ' ' + html.slice(0, 120))))`
  const { result } = await session.send('Runtime.evaluate', {
    expression,
    contextId,
    awaitPromise: true,
    returnByValue: true,
  })
  if (!Array.isArray(result.value)) throw new Error(`axe found no result: ${JSON.stringify(result)}`)
  return result.value
}

describe.skipIf(!hasBrowser)('the page in Chromium', () => {
  test('talks with the model, and asks nothing of other hosts', async () => {
    await using world = await pageWorld([
      { text: '# Hello\n\n<img src=x onerror=alert(1)> ![i](https://evil.example/i.png)' },
    ])
    const page = await world.open('about:blank')
    const asked: string[] = []
    const said: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).origin))
    page.on('console', (message) => said.push(message.text()))
    await page.goto(world.link)
    await begin(page)
    await say(page, 'say hello')
    await page.getByRole('heading', { name: 'Hello', exact: true }).waitFor()
    expect(await page.locator('.answer img').count()).toBe(0)
    expect(await page.locator('.answer').textContent()).toContain('<img src=x onerror=alert(1)>')
    expect(new Set(asked)).toEqual(new Set([new URL(world.link).origin]))
    expect(said).toEqual([])
    expect(await world.browser.cookies()).toEqual([])
    expect(await faults(page)).toEqual([])
    await page.reload()
    await page.getByRole('heading', { name: 'Hello', exact: true }).waitFor()
    expect(page.url()).not.toContain('code')
  })

  test('says that a used link opens nothing, and goes on with another', async () => {
    await using world = await pageWorld([])
    const page = await world.open(world.link)
    await page.getByRole('button', { name: 'New conversation' }).waitFor()
    const second = await world.open(world.link)
    await second.getByRole('heading', { name: 'does not open anything any more' }).waitFor()
    expect(await faults(second)).toEqual([])
    await second.goto('about:blank')
    await second.goto(await world.newLink())
    await second.getByRole('button', { name: 'New conversation' }).waitFor()
  })

  test('counts a yes only once the question could be read and all of it was on the screen', async () => {
    const lines = Array.from({ length: 120 }, (_, line) => `echo ${line}`)
    await using world = await pageWorld([escalate(lines.join('\n')), { text: 'It ran.' }])
    const page = await world.open(world.link)
    await begin(page)
    await say(page, 'run it')
    const question = page.getByRole('region', { name: 'Run outside the sandbox?' })
    await question.waitFor()
    expect(await question.textContent()).toContain('It needs to.')
    expect(await faults(page)).toEqual([])
    const yes = page.getByRole('button', { name: 'yes, this once' })
    await yes.click()
    await page.getByText(/Too early|Not all of this has been/).waitFor()
    const body = page.getByRole('region', { name: 'What is asked' })
    // A jump to the end shows nothing of what lies between.
    await body.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await expect.poll(() => body.evaluate((element) => element.scrollTop)).toBeGreaterThan(500)
    await yes.click({ delay: 600 })
    await yes.click()
    await page.getByText('Not all of this has been on the screen').waitFor()
    const height = await body.evaluate((element) => element.scrollHeight)
    for (let top = 0; top < height; top += 100) {
      await body.evaluate((element, to) => element.scrollTo(0, to), top)
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    }
    await expect
      .poll(
        async () => {
          await yes.click({ timeout: 1_000 }).catch(() => undefined)
          return page.getByText('It ran.').count()
        },
        { timeout: 20_000 },
      )
      .toBe(1)
  })

  test('goes on by itself after the link was lost', async () => {
    await using world = await pageWorld([{ text: 'one' }, { text: 'two' }])
    const page = await world.open('about:blank')
    await page.addInitScript(keepSockets)
    await page.goto(world.link)
    await begin(page)
    await say(page, 'first')
    await page.getByText('one', { exact: true }).waitFor()
    await page.evaluate('sockets.forEach((socket) => socket.close())')
    await page.waitForFunction('sockets.length === 2')
    await say(page, 'second')
    await page.getByText('two', { exact: true }).waitFor()
    expect(await page.locator('.own').allInnerTexts()).toEqual(['first', 'second'])
  })

  test('only watches with a read-only link', async () => {
    await using world = await pageWorld([{ text: 'one' }])
    const page = await world.open(world.link)
    await begin(page)
    await say(page, 'first')
    await page.getByText('one', { exact: true }).waitFor()
    const id = new URLSearchParams(new URL(page.url()).hash.slice(1)).get('conversation') ?? ''
    await page.close()
    const { link } = await world.start(['--read-only', id])
    const watching = await world.open(link)
    await watching.getByText('one', { exact: true }).waitFor()
    await watching.getByText('This page may only watch').waitFor()
    expect(await watching.getByRole('button').allInnerTexts()).toEqual([])
  })
})
