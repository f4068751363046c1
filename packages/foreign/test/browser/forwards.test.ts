import { afterAll, describe, expect, test, vi } from 'vitest'
import { begin, faults, say } from './page-acts.ts'
import { closeBrowser, hasBrowser, pageWorld } from './page-world.ts'

vi.setConfig({ testTimeout: 90_000 })

afterAll(closeBrowser)

const server = `node -e "require('http').createServer((_, r) => r.end('from the sandbox')).listen(8000, '127.0.0.1', () => console.log('up'))"`

describe.skipIf(!hasBrowser)('/forward on the page', () => {
  test('opens a port after a second press alone, lists it with its address, and ends it', async () => {
    await using world = await pageWorld([
      { calls: [{ name: 'shell', arguments: { command: server, background: true, tell_when: 'up' } }] },
      { text: 'It runs.' },
    ])
    const page = await world.open(world.link)
    await begin(page)
    await say(page, 'start a server')
    await page.getByText('Printed in the background').waitFor()
    await page.getByText('It runs.').waitFor()
    await say(page, '/forward 8000')
    const question = page.getByLabel('Forward a port')
    await question.getByRole('button', { name: 'yes' }).click()
    await question.getByText('your browser has the network').waitFor()
    const list = page.getByLabel('Forwarded ports')
    expect(await list.count()).toBe(0)
    await question.getByRole('button', { name: 'yes' }).click()
    // A machine where commands share no loopback says so, and opens nothing.
    await list.or(page.getByText('share no network here')).first().waitFor()
    if ((await list.count()) === 0) return
    const address = (await list.getByRole('link').getAttribute('href')) ?? ''
    expect(address).toMatch(/^http:\/\/p8000-[0-9a-f]+\.localhost:\d+\/$/)
    expect(await faults(page)).toEqual([])
    const [opened] = await Promise.all([page.context().waitForEvent('page'), list.getByRole('link').click()])
    await opened.getByText('from the sandbox').waitFor()
    await list.getByRole('button', { name: 'Stop forwarding port 8000' }).click()
    await list.waitFor({ state: 'detached' })
    await say(page, '/forward')
    await page.getByText('No port is forwarded.').waitFor()
  })
})
