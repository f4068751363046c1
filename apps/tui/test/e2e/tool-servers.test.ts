import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { answer, place, pressUntil, ready, send } from './interactive-program.ts'

const script = new URL('../../../../packages/server/test/tools/mcp/support/ugly-server.mjs', import.meta.url)
const section = [
  '[mcp_servers.ugly]',
  `command = ${JSON.stringify(process.execPath)}`,
  `args = [${JSON.stringify(fileURLToPath(script))}, "plain"]`,
]

test('a tool server asks the user by a form, and is listed and restarted', { timeout: 60_000 }, async () => {
  const ask = { name: 'mcp__ugly__ask', arguments: {} }
  await using at = await place([{ calls: [ask] }, { text: 'On main.' }], ...section)
  await using pty = at.start('where to')
  await answer(pty, 'y', /A tool server asks you:[^\n]*\n {2}Which branch\?\n {4}Branch \(needed\)/)
  await answer(pty, 'y', /▸ Branch/)
  await send(pty, 'm')
  await pty.waitFor(/count/)
  pty.press('Enter')
  await pty.waitFor(/▸ tags/)
  pty.press('Enter')
  await pty.waitFor(/▸ Branch[^\n]*\n.*2 characters or more/)
  pty.paste('main')
  await pty.waitFor(/mmain/)
  await pressUntil(pty, 'Enter', /▸ count/)
  await pressUntil(pty, 'Enter', /▸ tags/)
  await pressUntil(pty, 'Enter', /On main\.[\s\S]*› Ask/)
  expect(at.model.requests.at(-1)?.text).toContain('mmain')
  await send(pty, '/mcp')
  await pty.waitFor(/ugly +ready · \d+ tools/)
  await send(pty, '/mcp restart ugly')
  await pty.waitFor(/ugly is starting anew/)
  await pty.waitFor(ready)
})
