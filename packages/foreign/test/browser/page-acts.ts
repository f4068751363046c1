import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Opens a new conversation in the page, in a folder or in the one that the page offers. */
export async function begin(page: Page, folder?: string): Promise<void> {
  await page.getByRole('button', { name: 'New conversation' }).click()
  if (folder !== undefined) await page.getByLabel('Folder to work in').fill(folder)
  await page.getByRole('button', { name: 'Begin' }).click()
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
}

/** Sends a text from the composer. */
export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.getByRole('textbox', { name: 'Message' }).press('Enter')
}

/** Returns what axe finds wrong, as rule and element. */
export async function faults(page: Page): Promise<readonly string[]> {
  // An isolated world, because the page's policy lets no text become code.
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
