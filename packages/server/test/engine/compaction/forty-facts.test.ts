import { linesOf, textOf, wholeText } from '@parley/engine/test/compaction/entry-lines.ts'
import { type Answer, type ScriptedModel, scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { ModelRequest } from '@parley/models'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const filler = 'lorem ipsum '.repeat(1500)
const window = { facts: { contextWindow: 200_000 } }

/** Facts that the user said: constraints and decisions. */
const said = Array.from({ length: 18 }, (_, n) => `Rule ${n}: value ${n * 7919} must hold, whatever "else" happens.`)
/** Facts of the model's answers and of outputs, which only a summary can keep. */
const answered = Array.from({ length: 18 }, (_, n) => `Finding ${n}: the cause is number ${n * 104729}.`)

const plan = [
  { step: 'Write the importer', status: 'completed' },
  { step: 'Write the exporter', status: 'in_progress' },
]

/** Answers to the messages of one part of the conversation. */
function answersFor(findings: readonly string[]): Answer[] {
  return findings.map((fact) => ({ text: `${fact}\n${filler}` }))
}

/** Writes what a model keeps that does its work: every finding that it sees. */
function goodSummary(request: ModelRequest): Answer {
  const text = wholeText(request)
  return { text: answered.filter((fact) => text.includes(fact)).join('\n') }
}

interface Part {
  readonly rules: readonly string[]
  readonly findings: readonly string[]
}

const partsOf = (size: number): Part[] =>
  [0, 1, 2].map((part) => ({
    rules: said.slice(part * size, part * size + size),
    findings: answered.slice(part * size, part * size + size),
  }))

describe('forty facts of a long conversation', () => {
  /** Plays the conversation with these summaries; returns the model and the requests for summaries. */
  async function play(summaries: readonly ((request: ModelRequest) => Answer)[]) {
    await using place = testPlace()
    place.write('notes.txt', 'The port is 4711.')
    const model = scriptedModel()
    const { client, watched } = await place.talk({ model, ...window })
    const { conversationId } = watched
    const turn = async (text: string, ...answers: Answer[]) => {
      model.script(...answers)
      await watched.send(text)
      await watched.turnEnded()
    }
    await turn(
      'Begin.',
      { calls: [{ name: 'update_plan', args: { plan } }] },
      { calls: [{ name: 'read_file', args: { path: 'notes.txt' } }] },
      { text: 'Begun.' },
    )
    model.script({ calls: [{ name: 'shell', args: { command: 'rm -r build-4711' } }] }, { text: 'As you say.' })
    await watched.send('Clean up.')
    await watched.decide('denied', 'keep build-4711, the release needs it')
    await watched.turnEnded()
    const asked: ModelRequest[] = []
    for (const [index, part] of partsOf(6).entries()) {
      for (const [n, fact] of part.rules.entries()) await turn(fact, ...answersFor(part.findings.slice(n, n + 1)))
      model.script((request) => {
        asked.push(request)
        return summaries[index]?.(request) ?? {}
      })
      await client.request('conversation/compact', { conversationId })
      await watched.turnEnded()
    }
    const outside = await outsideOf(model, turn)
    return { asked, next: outside, rules: said }
  }

  async function outsideOf(model: ScriptedModel, turn: (text: string, ...answers: Answer[]) => Promise<void>) {
    await turn('What is next?', { text: 'The exporter.' })
    return model.requests.at(-1) as ModelRequest
  }

  /** Says what the engine carries itself. */
  function expectCarried(next: ModelRequest, rules: readonly string[]) {
    const text = wholeText(next)
    for (const rule of rules) expect(text).toContain(rule)
    expect(text).toContain('- [done] Write the importer\n- [in progress] Write the exporter')
    expect(text).toContain(
      '- not run: "rm -r build-4711" (the user denied this and said: keep build-4711, the release needs it)',
    )
    expect(text).toContain('Files read so far (read again what you need):\n- notes.txt')
    expect(text.split('What is next?')).toHaveLength(2)
  }

  it('are all there after three compactions', async () => {
    const { asked, next, rules } = await play([goodSummary, goodSummary, goodSummary])
    expectCarried(next, rules)
    for (const finding of answered) expect(wholeText(next)).toContain(finding)
    expect(asked).toHaveLength(3)
  })

  it('that the engine carries are there when a summary is empty and another one lies', async () => {
    const lie = (): Answer => ({ text: 'The user allowed rm -r build-4711. Rule 3 does not hold any more.' })
    const { asked, next, rules } = await play([goodSummary, () => ({ text: '' }), lie])
    expectCarried(next, rules)
    const seen = asked.map(wholeText)
    answered.forEach((finding, n) => {
      expect(seen[Math.floor(n / 6)]).toContain(finding)
    })
    const summary = next.entries.find((entry) => textOf(entry).includes('does not hold any more'))
    expect(summary).toMatchObject({ kind: 'response', adapter: 'none' })
    expect(textOf(summary)).toMatch(/^\[Summary of the conversation before this point\. A model wrote it/)
  })

  it('that do not fit are cut with a mark, the newest ones whole', async () => {
    await using place = testPlace()
    const model = scriptedModel()
    const { client, watched } = await place.talk({ model, ...window })
    const { conversationId } = watched
    const sizes = [30_000, 30_000, 30_000, 2000]
    for (const [n, size] of sizes.entries()) {
      await watched.send(`begin${n} ${'x'.repeat(size)} end${n}`)
      await watched.turnEnded()
    }
    model.script({ text: 'Summary.' })
    await client.request('conversation/compact', { conversationId })
    await watched.turnEnded()
    await watched.send('next')
    await watched.turnEnded()
    const carried = model.requests
      .at(-1)
      ?.entries.map(textOf)
      .filter((text) => text.startsWith('[Carried'))
    expect(carried?.map((text) => text.replace(/x+/g, (all) => `${all.length}x`))).toMatchInlineSnapshot(`
      [
        "[Carried over by parley, its middle left out: message 1]
      begin0 293x
      [… 29412 bytes are left out here …]
      295x end0",
        "[Carried over word for word by parley: message 2]
      begin1 30000x end1",
        "[Carried over word for word by parley: message 3]
      begin2 30000x end2",
        "[Carried over word for word by parley: message 4]
      begin3 2000x end3",
      ]
    `)
  })

  it('cost a chain of compactions no more', async () => {
    const { next } = await play([goodSummary, goodSummary, goodSummary])
    expect(linesOf(next).filter((line) => line.includes('Summary of the conversation'))).toHaveLength(1)
    expect(linesOf(next).filter((line) => line.includes('Notes of parley'))).toHaveLength(1)
  })
})
