import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Message, textOf } from '@parley/exec-server/test/support/exec-client.ts'
import { execPlace } from '@parley/exec-server/test/support/in-process.ts'
import { tempDirectory, waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'

/**
 * Sessions of another exec-server with a client of its own, as they were recorded. Ours is to be told the same and to
 * answer the same, but for what is listed here.
 */
type Difference = { readonly why: string; readonly answer: Record<string, unknown> }

const differences: Readonly<Record<string, Difference>> = {
  'programs 8': { why: 'a plain path is taken too', answer: { result: { processId: 'plain path cwd' } } },
  'terminal 5': { why: 'a write needs no id', answer: { result: { accepted: true, status: 'accepted' } } },
  'terminal 8': { why: 'an unknown method, in the words of the first clients', answer: { error: { code: -32600 } } },
  'terminal 11': { why: 'told as what it is', answer: { error: { code: -32600 } } },
  'stdin 3': { why: 'an error, which no client overlooks', answer: { error: { code: -32600 } } },
}

/** A killed terminal program is said to have been killed; there it was told of a hang-up first. */
const exitCodes: Readonly<Record<string, number>> = { 'terminal t': 137 }
/** Begun because a plain path is taken. */
const moreTold = new Set(['plain path cwd'])
/** Written without an id; the mark by which a tree is found. */
const moreHeard: Readonly<Record<string, string>> = { 'terminal t': 'no write id', 'programs env': 'PARLEY_MARK ' }

interface Line {
  readonly dir: '>' | '<'
  readonly msg: Message
}

function recorded(name: string, workspace: string): Line[] {
  const text = readFileSync(join(import.meta.dirname, 'fixtures', `peer-${name}.jsonl`), 'utf8')
  const here = text.replaceAll('$WORK', workspace).replaceAll('"<num>"', '7')
  return here
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Output without the ways in which one run may cut it or echo more of it. */
function heard(name: string, processId: string, told: readonly Message[]): string {
  const extra = moreHeard[`${name} ${processId}`]
  return extra === undefined ? textOf(told) : textOf(told).replaceAll(extra, '')
}

describe('a client of another exec-server', () => {
  it.each(['programs', 'terminal', 'stdin'])('finds the same here: %s', { timeout: 60_000 }, async (name) => {
    await using place = execPlace()
    await using folder = await tempDirectory()
    const client = place.connect()
    const lines = recorded(name, folder.path)
    const answers = new Map(
      lines.filter(({ dir, msg }) => dir === '<' && msg.id !== undefined).map(({ msg }) => [msg.id, msg]),
    )
    for (const [at, { dir, msg }] of lines.entries()) {
      if (dir === '<') continue
      client.sendLine(JSON.stringify(msg))
      if (msg.id === undefined) continue
      const answer = await waitUntil(() => client.messages.find(({ id }) => id === msg.id), {
        what: `answer ${msg.id}`,
      })
      expect(answer, `answer ${msg.id}`).toMatchObject(expected(name, answers.get(msg.id)))
      await caughtUp(lines.slice(at + 1))
    }

    /** Everything that was told before the client said the next thing. */
    async function caughtUp(rest: readonly Line[]): Promise<void> {
      const next = rest.findIndex(({ dir }) => dir === '>')
      for (const { msg } of rest.slice(0, next < 0 ? undefined : next)) {
        if (msg.params === undefined) continue
        const { processId } = msg.params
        const before = toldOf(lines.slice(0, lines.length - rest.length + next), processId)
        if (msg.method !== 'process/output') await client.untilTold(processId, msg.method ?? '')
        else
          await waitUntil(() => heard(name, processId, client.told(processId)).length >= textOf(before).length, {
            what: `the output of ${processId}`,
          })
      }
    }

    const ids = new Set(client.messages.flatMap(({ params }) => (params === undefined ? [] : [params.processId])))
    for (const processId of [...ids].filter((id) => !moreTold.has(id))) {
      const theirs = toldOf(lines, processId)
      expect(heard(name, processId, client.told(processId)), processId).toBe(textOf(theirs))
      const codeOf = (told: readonly Message[]) =>
        told.find(({ method }) => method === 'process/exited')?.params?.['exitCode']
      if (codeOf(theirs) !== undefined)
        expect(codeOf(client.told(processId)), processId).toBe(exitCodes[`${name} ${processId}`] ?? codeOf(theirs))
    }
  })
})

function toldOf(lines: readonly Line[], processId: string): Message[] {
  return lines.filter(({ dir, msg }) => dir === '<' && msg.params?.processId === processId).map(({ msg }) => msg)
}

/** Codes are the contract, messages are for people; what we say besides does no harm. */
function expected(name: string, answer: Message | undefined): Record<string, unknown> {
  const difference = differences[`${name} ${answer?.id}`]
  if (difference !== undefined) return difference.answer
  if (answer?.error !== undefined) return { error: { code: answer.error.code } }
  const { environmentInfo, sessionId, ...result } = answer?.result ?? {}
  return {
    result:
      environmentInfo === undefined
        ? result
        : { sessionId: expect.any(String), environmentInfo: expect.objectContaining(shapeOf(environmentInfo)) },
  }
}

function shapeOf(value: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.keys(value as object).map((key) => [key, expect.anything()]))
}
