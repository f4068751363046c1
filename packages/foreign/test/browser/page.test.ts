import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { begin, faults, say } from './page-acts.ts'
import { closeBrowser, hasBrowser, pageWorld } from './page-world.ts'

vi.setConfig({ testTimeout: 90_000 })
if (!hasBrowser) process.stderr.write('no Chromium is installed: the tests of the page in a browser are skipped\n')

afterAll(closeBrowser)

/** Script that keeps the websockets of a page, so that a test can end them. */
const keepSockets =
  'globalThis.sockets = []; globalThis.WebSocket = class extends WebSocket { constructor(url) { super(url); sockets.push(this) } }'

/** PNG of one pixel, in base64. */
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

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

  test('shows a picture that the model made', async () => {
    const item = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: dot }
    const events = [
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { status: 'completed', output: [item], usage: {} } },
    ]
    await using world = await pageWorld([{ raw: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') }])
    const page = await world.open(world.link)
    await begin(page)
    await say(page, 'draw a dot')
    const shown = page.getByRole('img', { name: 'image picture.png' })
    await shown.waitFor()
    await expect.poll(() => page.evaluate("document.querySelector('.answer img').naturalWidth")).toBe(1)
    expect(await page.getByLabel('Answer', { exact: true }).textContent()).toContain('(Picture: image/png')
    expect(await faults(page)).toEqual([])
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

  test('goes on by itself after the link was lost', async () => {
    await using world = await pageWorld([{ text: 'one' }, { text: 'two' }])
    const page = await world.open('about:blank')
    await page.addInitScript(keepSockets)
    await page.goto(world.link)
    await begin(page)
    await say(page, 'first')
    await page.getByText('one', { exact: true }).waitFor()
    const made = Number(await page.evaluate('sockets.length'))
    await page.evaluate('sockets.forEach((socket) => socket.close())')
    // Not by waitForFunction, which evaluates its text in the page: the page forbids that, and it fails if it has to look twice.
    await expect.poll(() => page.evaluate('sockets.length')).toBeGreaterThan(made)
    await say(page, 'second')
    await page.getByText('two', { exact: true }).waitFor()
    expect(await page.locator('.own-text').allInnerTexts()).toEqual(['first', 'second'])
  })

  test('runs commands after a slash and a !, completes files, and goes back', async () => {
    const patch = '*** Begin Patch\n*** Update File: notes.md\n@@\n-old\n+new\n*** End Patch'
    await using world = await pageWorld(
      [{ text: 'one' }, { calls: [{ name: 'apply_patch', arguments: { patch } }] }, { text: 'two' }],
      { 'notes.md': 'old\n' },
    )
    const page = await world.open(world.link)
    await begin(page)
    const message = page.getByRole('textbox', { name: 'Message' })
    await message.fill('/eff')
    await page.getByRole('option', { name: '/effort' }).waitFor()
    expect(await faults(page)).toEqual([])
    await message.press('Tab')
    await message.pressSequentially('hi')
    await message.press('Enter')
    await message.press('Enter')
    await page.getByText('gpt-5 high').waitFor()
    await say(page, '/status')
    await page.getByRole('status', { name: 'Answer of the command' }).getByText(world.cwd).waitFor()
    expect(await faults(page)).toEqual([])
    await say(page, '/theme')
    await page.getByText('/theme is a command of the terminal').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await message.fill('look at @not')
    await page.getByRole('option', { name: 'notes.md' }).waitFor()
    await message.press('Enter')
    expect(await message.inputValue()).toBe('look at @notes.md ')
    await say(page, '!echo mine; false')
    await page.getByText('exit 1').waitFor()
    await say(page, '!vi notes.md')
    await page.getByText('takes over a terminal').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await say(page, 'first')
    await page.getByText('one', { exact: true }).waitFor()
    await say(page, 'second')
    await page.getByText('two', { exact: true }).waitFor()
    expect(readFileSync(join(world.cwd, 'notes.md'), 'utf8')).toBe('new\n')
    await say(page, '/undo')
    expect(await faults(page)).toEqual([])
    await page.getByRole('button', { name: 'files 1 file' }).click()
    await page.getByText('1 file was taken back').waitFor()
    expect(readFileSync(join(world.cwd, 'notes.md'), 'utf8')).toBe('old\n')
    const before = page.url()
    await page.getByText('second', { exact: true }).hover()
    await page.getByRole('button', { name: 'Go back to before this' }).last().click()
    await page.getByRole('button', { name: /^talk goes on in a copy/ }).click()
    await page.waitForURL((url) => url.href !== before)
    await page.getByText('one', { exact: true }).waitFor()
    expect(await message.inputValue()).toBe('second')
    expect(await page.locator('.own-text').allInnerTexts()).toEqual(['first'])
  })

  test('keeps what has left the window of the newest items, and finds what lies before it', async () => {
    const looks = Array.from({ length: 220 }, () => ({ name: 'read_file', arguments: { path: 'notes.md' } }))
    await using world = await pageWorld([{ text: 'A zebra.' }, { calls: looks }, { text: 'All read.' }], {
      'notes.md': 'notes\n',
    })
    const page = await world.open(world.link)
    await begin(page)
    await say(page, 'which animal?')
    await page.getByText('A zebra.').waitFor()
    await say(page, 'read a lot')
    await page.getByText('All read.').waitFor()
    expect(await page.getByText('A zebra.').count()).toBe(1)
    await page.reload()
    await page.getByText('All read.').waitFor()
    expect(await page.getByText('A zebra.').count()).toBe(0)
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByRole('searchbox', { name: 'Find in this conversation' }).fill('zebra')
    await page.getByRole('list', { name: 'Found' }).getByText('zebra').waitFor()
  })

  test('sends images, changes what waits, loads long outputs, and finds text', async () => {
    const waits = Promise.withResolvers<void>()
    await using world = await pageWorld([
      { text: 'A dot.' },
      { calls: [{ name: 'shell', arguments: { command: 'seq 1 60000' } }] },
      { text: 'Counted.', gate: waits.promise },
      { text: 'Last.' },
    ])
    const page = await world.open(world.link)
    await begin(page)
    await page.locator('input[type=file]').setInputFiles([
      { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(dot, 'base64') },
      { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') },
    ])
    await page.getByText('a.txt is not a PNG').waitFor()
    await page.getByRole('img', { name: 'dot.png' }).waitFor()
    await say(page, 'what is this?')
    await page.getByText('A dot.').waitFor()
    expect(JSON.stringify(world.model.requests[0]?.body)).toContain(`data:image/png;base64,${dot}`)
    await page.locator('.own').getByText('image', { exact: true }).click()
    await page.locator('.own').getByRole('img').waitFor()
    await say(page, 'count')
    await page.getByText('60,000 lines').waitFor()
    await page.getByRole('textbox', { name: 'Message' }).fill('then this')
    await page.getByRole('button', { name: 'Next turn' }).click()
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Waiting message' }).fill('then that')
    await page.getByRole('button', { name: 'Keep' }).click()
    await page.getByRole('list', { name: 'Messages that wait' }).getByText('then that').waitFor()
    expect(await faults(page)).toEqual([])
    waits.resolve()
    await page.getByText('Last.').waitFor()
    expect(await page.locator('.own-text').allInnerTexts()).toEqual(['what is this?', 'count', 'then that'])
    await page.setViewportSize({ width: 390, height: 800 })
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await faults(page)).toEqual([])
    await page.getByRole('button', { name: /Load all of it/ }).click()
    await page.getByRole('group', { name: 'Whole output' }).getByText('31415', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByRole('searchbox', { name: 'Find in this conversation' }).fill('COUNTED')
    await page.getByText('Nothing found').waitFor()
    await page.getByRole('searchbox', { name: 'Find in this conversation' }).fill('counted')
    await page.getByText('1 entry', { exact: true }).waitFor()
    expect(await faults(page)).toEqual([])
    await page.getByRole('list', { name: 'Found' }).getByRole('button').click()
    expect(await page.locator('.found').textContent()).toBe('Counted.')
  })

  test('shows an exported conversation without scripts', async () => {
    await using world = await pageWorld([
      { calls: [{ name: 'shell', arguments: { command: 'seq 1 50' } }] },
      { text: 'one' },
      { status: 400, body: { error: { message: 'nothing of that name' } } },
    ])
    const page = await world.open(world.link)
    await begin(page)
    await say(page, 'first')
    await page.getByText('one', { exact: true }).waitFor()
    await say(page, 'second')
    await page.locator('.notice.error').getByText('nothing of that name').waitFor()
    const file = await world.exported('html')
    const frozen = await world.browser.newPage()
    const said: string[] = []
    frozen.on('console', (message) => said.push(message.text()))
    await frozen.goto(file)
    expect(await frozen.locator('.own, .answer').allInnerTexts()).toEqual(['first', 'one', 'second'])
    expect(await frozen.locator('.notice.error').textContent()).toContain('nothing of that name')
    expect(await frozen.evaluate('getComputedStyle(document.body).maxWidth')).not.toBe('none')
    await frozen.getByText('50 lines').click()
    await frozen.getByText('1\n2\n3', { exact: false }).waitFor()
    expect(await faults(frozen)).toEqual([])
    expect(said).toEqual([])
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
    await watching.getByText('This link shows this conversation, to watch, and no other.').waitFor()
    expect(await watching.getByRole('button').allInnerTexts()).toEqual(['Find'])
  })
})
