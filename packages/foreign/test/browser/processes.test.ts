import { afterAll, describe, expect, test, vi } from 'vitest'
import { begin, faults, say } from './page-acts.ts'
import { closeBrowser, hasBrowser, pageWorld } from './page-world.ts'

vi.setConfig({ testTimeout: 90_000 })

afterAll(closeBrowser)

/** Prints a line, reads one, waits for a file, prints another one and waits on. */
const command =
  'echo first line; read -r l; echo "got $l"; until [ -e go ]; do sleep 0.05; done; echo now ready; exec sleep 600'

describe.skipIf(!hasBrowser)('a command in the background on the page', () => {
  test('shows its output live, finds lines, tells when it prints a text, and stops by a second press', async () => {
    await using world = await pageWorld([
      { calls: [{ name: 'shell', arguments: { command, background: true } }] },
      { text: 'It runs.' },
      { calls: [{ name: 'shell', arguments: { command: 'touch go' } }] },
      { text: 'Went on.' },
    ])
    const page = await world.open(world.link)
    await begin(page)
    await say(page, 'start it')
    await page.getByText('It runs.').waitFor()
    await page.getByText('1 command in the background').click()
    await page.locator('.background .choice').click()
    const dialog = page.getByRole('dialog')
    await dialog.locator('pre', { hasText: 'first line' }).waitFor()
    await dialog.getByLabel('Type into it').fill('from the page')
    await dialog.getByLabel('Type into it').press('Enter')
    await dialog.locator('pre', { hasText: 'got from the page' }).waitFor()
    await dialog.getByLabel('Tell me when it prints').fill('ready')
    await dialog.getByRole('button', { name: 'Tell me' }).click()
    await dialog.getByText('You are told once').waitFor()
    expect(await faults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Close' }).click()

    await page.getByText(/^Typed into echo first line.*: from the page$/).waitFor()
    await say(page, 'let it go on')
    await page.getByText('Printed in the background').waitFor()
    await page.locator('.background .choice').click()
    await dialog.locator('pre', { hasText: 'now ready' }).waitFor()
    await dialog.getByLabel('Search in the output').fill('READY')
    await dialog.getByText('3: now ready').waitFor()
    await dialog.getByRole('button', { name: 'Stop', exact: true }).click()
    await dialog.getByRole('button', { name: 'Really stop' }).click()
    await dialog.getByText('ended: stopped').waitFor()
  })
})
