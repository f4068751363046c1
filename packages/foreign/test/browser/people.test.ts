import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { begin, faults, say } from './page-acts.ts'
import { closeBrowser, hasBrowser, signIn, teamWorld } from './page-world.ts'

vi.setConfig({ testTimeout: 90_000 })

afterAll(closeBrowser)

const asks = { calls: [{ name: 'shell', arguments: { command: 'echo hi', escalate: true, reason: 'It needs to.' } }] }

describe.skipIf(!hasBrowser)('the page of a team', () => {
  test('acts for who signed in: each sees and does what the role allows', async () => {
    await using world = await teamWorld(['ada', 'bo', 'cy', 'di'], [asks, { text: 'It ran.' }])
    const ada = await world.openAs('nobody', '')
    await ada.getByRole('alert').filter({ hasText: 'no token of a user' }).waitFor()
    expect(await faults(ada)).toEqual([])
    await ada.getByLabel('Token').fill('ada')
    await ada.getByRole('button', { name: 'Sign in' }).click()
    await begin(ada, world.cwd)
    await say(ada, 'run it')
    await ada.getByRole('region', { name: 'Run outside the sandbox?' }).waitFor()
    const place = new URL(ada.url()).hash.slice(1)
    const id = place.replace('conversation=', '')
    for (const [user, role] of Object.entries({ bo: 'reader', cy: 'approver' }))
      await world.run('ada', 'share', id, user, role)

    const [bo, cy, di] = await Promise.all([
      world.openAs('bo', place),
      world.openAs('cy', place),
      world.openAs('di', place),
    ])
    await bo.getByText('This page may not answer.').waitFor()
    await bo.getByText('You may read this conversation (reader).').waitFor()
    await cy.getByText('answer its questions (approver).').waitFor()
    await di.getByText(`There is no conversation ${id}`).waitFor()
    for (const page of [bo, cy]) expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0)
    const yes = cy.getByRole('button', { name: 'yes, this once' })
    await expect
      .poll(
        async () => {
          await yes.click({ timeout: 1_000 }).catch(() => undefined)
          return bo.getByText('It ran.').count()
        },
        { timeout: 20_000 },
      )
      .toBe(1)
    await ada
      .getByText(/\bcy\b/)
      .first()
      .waitFor()

    await world.run('ada', 'share', id, 'bo', 'none')
    await bo.getByText('You have no role in this conversation any more, or it was deleted.').waitFor()
    await ada.getByRole('button', { name: 'Sign out' }).click()
    await ada.getByRole('heading', { name: 'Sign in' }).waitFor()
    await ada.reload()
    await ada.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test('tries a server that its own policy does not name, once its own one is dead', async () => {
    await using next = createServer().listen(0, '127.0.0.1')
    await once(next, 'listening')
    const address = next.address()
    const at = typeof address === 'object' ? `127.0.0.1:${address?.port}` : ''
    await using world = await teamWorld(['ada'], [])
    const ada = await world.open('')
    const headers = { 'Content-Security-Policy': `default-src 'none'; connect-src ws://${at}` }
    await ada.route('**/servers', (route) =>
      route.fulfill({ headers, contentType: 'text/plain', body: `http://${at}` }),
    )
    await signIn(ada, 'ada')
    await ada.locator('iframe').waitFor({ state: 'attached' })
    const tried = once(next, 'upgrade')
    next.on('upgrade', (_, socket) => socket.destroy())
    await world.kill()
    const [{ url, headers: told }] = await tried
    expect([url, told.origin]).toEqual(['/socket', world.origin])
  })

  test('shows whoever has a link the one conversation, until it is revoked', async () => {
    await using world = await teamWorld(['ada'], [{ text: 'First.' }, { text: 'Second.' }])
    const ada = await world.openAs('ada', '')
    await begin(ada, world.cwd)
    await say(ada, 'one')
    await ada.getByText('First.').waitFor()
    const id = new URL(ada.url()).hash.replace('#conversation=', '')
    const told = await world.run('ada', 'share', id, '--link')
    const [, fragment = ''] = /In a browser: \S+#(\S+)/.exec(told) ?? []
    const [, linkId = ''] = /--revoke (\w+)/.exec(told) ?? []
    const guest = await world.open(fragment)
    await guest.getByText('First.').waitFor()
    await guest.getByText(/Shared by ada, to read, until \d/).waitFor()
    expect(guest.url()).not.toContain(fragment.split('.')[1])
    expect(await guest.getByRole('navigation').count()).toBe(0)
    expect(await guest.getByRole('button').allTextContents()).toEqual(['Find'])
    expect(await faults(guest)).toEqual([])
    await say(ada, 'two')
    await guest.getByText('Second.').waitFor()
    await world.run('ada', 'share', id, '--revoke', linkId)
    await guest.getByText('revoked or has expired, or the conversation was deleted. What is shown').waitFor()
    await guest.getByText('Ask ada for another link.').waitFor()
    expect(await guest.getByText(/\brole\b/).count()).toBe(0)
    await guest.reload()
    await guest.getByRole('heading', { name: 'This link shows nothing any more' }).waitFor()
  })
})
