import type { AnswerStep } from '@parley/testkit'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { begin, faults, say } from './page-acts.ts'
import { closeBrowser, hasBrowser, pageWorld } from './page-world.ts'

vi.setConfig({ testTimeout: 90_000 })

afterAll(closeBrowser)

const escalate = (command: string): AnswerStep => ({
  calls: [{ name: 'shell', arguments: { command, escalate: true, reason: 'It needs to.' } }],
})

/** Scrolls through all of a question. */
async function readAll(page: Page): Promise<void> {
  const body = page.getByRole('group', { name: 'What is asked' })
  const height = await body.evaluate((element) => element.scrollHeight)
  for (let top = 0; top < height; top += 100) {
    await body.evaluate((element, to) => element.scrollTo(0, to), top)
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  }
}

describe.skipIf(!hasBrowser)('a question on the page', () => {
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
    const body = page.getByRole('group', { name: 'What is asked' })
    // A jump to the end shows nothing of what lies between.
    await body.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await expect.poll(() => body.evaluate((element) => element.scrollTop)).toBeGreaterThan(500)
    await yes.click({ delay: 600 })
    await yes.click()
    await page.getByText('Not all of this has been on the screen').waitFor()
    await readAll(page)
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

  test('asks the questions of the model in one form, and keeps the newest in sight', async () => {
    const questions = [
      { header: 'Size', text: 'How many may it keep?', options: ['10', '1,000'], other: true },
      { header: 'Where', text: 'Where does it run?', options: ['server', 'laptop'], multiple: true },
      { header: 'Name', text: 'What is it called?' },
    ]
    const long = Array.from({ length: 80 }, (_, line) => `Line ${line}.`).join('\n\n')
    await using world = await pageWorld([
      { text: long },
      { text: 'Some questions.', calls: [{ name: 'ask_user', arguments: { questions } }] },
      { text: 'Thanks.' },
    ])
    const page = await world.open(world.link)
    const box = page.getByRole('group', { name: 'What was said and done' })
    const left = () => box.evaluate((one) => Math.round(one.scrollHeight - one.scrollTop - one.clientHeight))
    await begin(page)
    await say(page, 'tell me a lot')
    await page.getByText('Line 79.').waitFor()
    await box.hover()
    await page.mouse.wheel(0, -900)
    await page.getByRole('button', { name: 'Newest' }).waitFor()
    await say(page, 'ask me')
    const question = page.getByRole('region', { name: 'The model asks you:' })
    await question.waitFor()
    await expect.poll(left).toBe(0)
    expect(await page.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true)
    await page.setViewportSize({ width: 390, height: 844 })
    await expect.poll(left).toBe(0)
    expect(await question.getByText('How many may it keep?').count()).toBe(1)
    expect(await faults(page)).toEqual([])
    await page.getByLabel('1,000').check()
    await page.getByRole('group', { name: 'Where' }).getByRole('checkbox', { name: 'laptop' }).check()
    await page.getByRole('textbox', { name: 'Name (required)' }).fill('Cache')
    await readAll(page)
    await expect
      .poll(
        async () => {
          await page
            .getByRole('button', { name: 'answer it' })
            .click({ timeout: 1_000 })
            .catch(() => undefined)
          return page.getByText('Size → 1,000').count()
        },
        { timeout: 20_000 },
      )
      .toBe(1)
    await page.getByText('Thanks.').waitFor()
  })
})
