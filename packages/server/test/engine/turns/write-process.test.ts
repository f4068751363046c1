import { type Step, scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const free = { sandbox: 'danger-full-access' } as const

interface Call {
  readonly name: string
  readonly args: object
}

/** Returns a model that starts a command in the background and then makes calls with its id. */
function modelWith(start: object, calls: readonly ((id: string) => Call)[]) {
  const later = calls.map(
    (call): Step =>
      ({ entries }) => {
        const id = /output:([\w-]+)/.exec(JSON.stringify(entries))?.[1] ?? ''
        return { calls: [call(id)] }
      },
  )
  return scriptedModel({ calls: [{ name: 'shell', args: { ...start, background: true } }] }, ...later, { text: 'ok' })
}

const write = (args: object) => (id: string) => ({ name: 'write_process', args: { id, ...args } })
const read = (pattern: string) => (id: string) => ({
  name: 'read_process',
  args: { id, wait: { pattern, timeout_s: 60 } },
})
const waitForEnd = (id: string) => ({ name: 'read_process', args: { id, wait: { exit: true, timeout_s: 60 } } })

/** Runs such a turn, and returns what each of the later calls answered. */
async function answers(start: object, calls: readonly ((id: string) => Call)[]) {
  await using place = testPlace()
  const { watched } = await place.talk({ model: modelWith(start, calls) }, free)
  await watched.send('go')
  await watched.turnEnded()
  return watched.items().flatMap((item) => (item.type === 'toolCall' ? [item.modelText ?? ''] : []))
}

describe('write_process', () => {
  it('types lines into a pipe, and ends it', async () => {
    const [, first, second, , end] = await answers({ command: 'while read -r l; do echo "got $l"; done; echo over' }, [
      write({ text: 'one' }),
      read('got'),
      write({ text: 'two', enter: false, close: true }),
      read('over'),
      waitForEnd,
    ])
    expect(first).toMatch(/\nIt has printed "got"\.\n\[lines 1 to 1 of 1\]\ngot one$/)
    expect(second).toMatch(/^Wrote 3 bytes to process .*\.$/)
    expect(end).toContain('has ended (exit 0)')
  })

  it('types into a terminal, which it resizes, and which takes Ctrl+C', async () => {
    const command = 'trap "echo caught; exit 4" INT; tty; stty size; while read -r l; do stty size; done'
    const [started, , resized, , end] = await answers({ command, tty: true }, [
      read('40 120'),
      write({ text: '', size: { rows: 10, cols: 30 } }),
      read('10 30'),
      write({ text: '\u0003', enter: false }),
      waitForEnd,
    ])
    expect(started).toMatch(/\n\/dev\/\S+\n40 120$/)
    expect(resized).toContain('10 30')
    expect(end).toMatch(/has ended \(exit 4\)(?:.|\n)*caught/)
  })

  it('tells what cannot be written to', async () => {
    const [ended, after, unknown] = await answers({ command: 'exit 0' }, [
      waitForEnd,
      write({ text: 'x' }),
      () => ({ name: 'write_process', args: { id: 'i-other', text: 'x' } }),
    ])
    expect(ended).toContain('has ended (exit 0)')
    expect(after).toMatch(/^There is no background process/)
    expect(unknown).toMatch(/^There is no background process i-other/)
  })

  it('does not wait for a process that reads nothing, and stops at what it has not read', async () => {
    const text = 'x'.repeat(16_000)
    const written = await answers(
      { command: 'exec sleep 600' },
      Array.from({ length: 10 }, () => write({ text, enter: false })),
    )
    expect(written.at(-1)).toMatch(/^Not written: process .* has not read \d+ bytes/)
  })

  it('asks before it writes to a process outside the sandbox, with the whole text', async () => {
    await using place = testPlace()
    const start = { command: 'read -r l; echo "got $l"', escalate: true, reason: 'needs it' }
    const model = modelWith(start, [write({ text: 'rm it' }), waitForEnd])
    const { watched } = await place.talk({ model })
    await watched.send('go')
    await watched.approval()
    await watched.decide('approved')
    const asked = await watched.until(({ core }) =>
      Object.values(core.approvals).find(({ state, title }) => state === 'pending' && title.startsWith('Write to')),
    )
    expect(asked).toMatchObject({ detail: 'rm it\n', sandbox: 'none', decisions: ['approved', 'denied', 'abort'] })
    expect(asked.reason).toContain('read -r l; echo "got $l"')
    await watched.decide('approved')
    await watched.turnEnded()
    expect(JSON.stringify(watched.items())).toContain('got rm it')
  })
})
