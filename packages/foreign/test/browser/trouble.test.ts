import { type AnswerStep, type ScriptedStep, startModelServer } from '@parley/testkit'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { begin, faults, say } from './page-acts.ts'
import { closeBrowser, hasBrowser, pageWorld } from './page-world.ts'

vi.setConfig({ testTimeout: 90_000 })

afterAll(closeBrowser)

/** Step of a provider that refuses each request with `MARK` in a message, and names that message. */
function unlessMarked(answer: AnswerStep): ScriptedStep {
  return ({ body }) => {
    const input = inputOf(body)
    const at = input.findIndex((entry) => JSON.stringify(entry).includes('MARK'))
    if (at < 0) return answer
    const error = {
      message: `Invalid 'input[${at}].content'.`,
      type: 'invalid_request_error',
      param: `input[${at}].content`,
    }
    return { status: 400, body: { error } }
  }
}

function inputOf(body: unknown): readonly unknown[] {
  return typeof body === 'object' && body !== null && 'input' in body && Array.isArray(body.input) ? body.input : []
}

describe.skipIf(!hasBrowser)('the page in Chromium, in trouble', () => {
  test('leaves out what the provider refuses by a button, and goes on', async () => {
    await using world = await pageWorld([unlessMarked({ text: '# Never' }), unlessMarked({ text: '# Goes on' })])
    const page = await world.open(world.link)
    await begin(page)
    await say(page, 'say MARK')
    const button = page.getByRole('button', { name: /leave/i })
    await button.waitFor()
    expect(await faults(page)).toEqual([])
    await button.click()
    await page.getByRole('heading', { name: 'Goes on', exact: true }).waitFor()
    expect(await button.count()).toBe(0)
  })

  test('says that there is no connection, when it tries again, and goes on by a button', async () => {
    await using world = await pageWorld([{ text: '# First' }])
    const page = await world.open(world.link)
    await begin(page)
    await say(page, 'one')
    await page.getByRole('heading', { name: 'First', exact: true }).waitFor()
    await world.model[Symbol.asyncDispose]()
    await say(page, 'two')
    await page.getByText(/No connection: .*nothing listens there\. Again in \d+ s\./).waitFor()
    // Pauses grow; in a long one the button is there for longer than the server takes to listen.
    await page.getByText(/Again in (?:[6-9]|\d\d) s\./).waitFor()
    expect(await faults(page)).toEqual([])
    await using _ = await startModelServer([{ text: '# Back' }], { port: Number(new URL(world.model.url).port) })
    await page.getByRole('button', { name: 'Try now' }).click()
    await page.getByRole('heading', { name: 'Back', exact: true }).waitFor()
    expect(await page.getByText(/No connection/).count()).toBe(0)
  })
})
