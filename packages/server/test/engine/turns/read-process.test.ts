import { type Step, scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const free = { sandbox: 'danger-full-access' } as const

/** Runs a turn that starts a command in the background and then calls tools with its id; returns what each answered. */
async function answers(command: string, calls: readonly ((id: string) => { name: string; args: object })[]) {
  await using place = testPlace()
  const later = calls.map(
    (call): Step =>
      ({ entries }) => {
        const id = /output:([\w-]+)/.exec(JSON.stringify(entries))?.[1] ?? ''
        return { calls: [call(id)] }
      },
  )
  const start = { name: 'shell', args: { command, background: true } }
  const { watched } = await place.talk({ model: scriptedModel({ calls: [start] }, ...later, { text: 'ok' }) }, free)
  await watched.send('go')
  await watched.turnEnded()
  const items = watched.items().filter((item) => item.type === 'toolCall')
  return items.map(({ modelText = '' }) => modelText)
}

const read = (args: object) => (id: string) => ({ name: 'read_process', args: { id, ...args } })

describe('read_process', () => {
  it('waits for a line, then for one that comes after what it has shown', async () => {
    const command = 'echo ready; until [ -e go ]; do sleep 0.02; done; echo Ready again; exec sleep 600'
    const [first, second] = await answers(command, [
      read({ wait: { pattern: 'ready', timeout_s: 60 } }),
      (id) => ({ name: 'shell', args: { command: `touch go; : ${id}` } }),
      read({ tail: 1, wait: { pattern: 'ready', timeout_s: 60 } }),
    ])
    expect(first).toMatch(
      /^Process .* runs; 6 bytes of output\.\nIt has printed "ready"\.\n\[lines 1 to 1 of 1\]\nready$/,
    )
    expect(second).toMatch(/\nIt has printed "ready"\.\n\[lines 2 to 2 of 2\]\nReady again$/)
  })

  it('ends a wait with the process, and at its limit', async () => {
    const [, limit, , end] = await answers('echo one; exec sleep 600', [
      read({ wait: { timeout_s: 60 } }),
      read({ wait: { exit: true, timeout_s: 0 } }),
      (id) => ({ name: 'stop_process', args: { id } }),
      read({ wait: { pattern: 'two', timeout_s: 600 } }),
    ])
    expect(limit).toMatch(/^Process .* runs; .*\nAfter 0(\.0)? s it had not ended\./)
    expect(end).toMatch(/^Process .* has ended \(killed by SIG\w+\); .*\nIt ended and had not printed "two"\.\n/)
  })

  it('finds lines, and knows processes of its own conversation only', async () => {
    const [found, unknown, refused] = await answers('seq 1 30; exec sleep 600', [
      read({ search: '3', wait: { pattern: '30', timeout_s: 60 } }),
      () => ({ name: 'read_process', args: { id: 'i-other' } }),
      read({ search: '^3$' }),
    ])
    expect(found).toContain('[4 of 4 lines with "3"]\n3: 3\n13: 13\n23: 23\n30: 30')
    expect(unknown).toMatch(/^There is no background process i-other\./)
    expect(refused).toContain('No regular expression')
  })
})
