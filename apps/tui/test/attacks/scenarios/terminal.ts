import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { cliPath, type ScriptedStep, startPty } from '@parley/testkit'
import { expect } from 'vitest'
import { rest, seenAt, type Typed, typeAtOnce } from '../../ui/type-keys.ts'
import { openUi } from '../../view/scenes/scene.ts'
import { bytesOf, messageOf } from '../world/converse.ts'
import { lookAt } from '../world/look-at.ts'
import { askedToEscape } from './approvals.ts'
import { nameOf, onlyOnce, type Scenarios, type Told } from './scenario.ts'
import { evilSection } from './tool-servers.ts'

/** Sequences that no program of ours writes: a private mode, a command of one maker's terminals, the same in one byte. */
const forged = '\u001b[?1337h\u001b]1337;x\u0007\u009d1337;x\u009c\u0007'
const effects = /\u001b\[\?1337h|\u001b\]1337|\u009d1337|\u0007\u0007/

/** The program on a terminal, over a home of its own, with a first message that names the attack. */
function openTerminal(
  told: Told,
  options: { readonly steps: readonly ScriptedStep[]; readonly more?: string; readonly flags?: readonly string[] },
) {
  const { world } = told
  const name = nameOf(told)
  const { WS: cwd = '' } = world.places(name)
  const home = world.makeHome(evilSection)
  world.script(name, options.steps)
  const argv = [process.execPath, cliPath, ...(options.flags ?? []), `${messageOf(name)}${options.more ?? ''}`] as const
  return { pty: startPty({ argv, cwd, env: world.environment(home), cols: 100, rows: 40 }), home, cwd }
}

const logsOf = (home: string): string =>
  bytesOf(
    readdirSync(join(home, '.parley', 'sessions'), { recursive: true })
      .map((name) => join(home, '.parley', 'sessions', String(name)))
      .filter((path) => path.endsWith('.jsonl')),
  )

export const terminal: Scenarios = {
  /** Keys typed while the model streams, and a key that is held down over the moment when the question appears. */
  async A094(told) {
    onlyOnce(told)
    const gate = Promise.withResolvers<void>()
    const command = 'touch made'
    const call = { name: 'shell', arguments: { command, escalate: true, reason: 'to be asked' } }
    const { pty, home, cwd } = openTerminal(told, { steps: [{ text: 'thinking', calls: [call], gate: gate.promise }] })
    await using _ = pty
    await pty.waitFor(/attack </)
    pty.write('y1y\ryy\r1\r')
    gate.resolve()
    await pty.waitFor(/Run (this|outside)/)
    expect(logsOf(home)).not.toContain('approval.decided')
    expect(lookAt(join(cwd, 'made'))).toBe('nothing')

    const { talk } = await askedToEscape(told, '-held')
    const state = talk.state()
    let typed: Typed = { ui: seenAt(openUi, null, 0), intents: [] }
    for (let atMs = 0; atMs < 5_000; atMs += 30) {
      const now = atMs < 1_000 ? null : state
      const before = rest({ ...typed, intents: [] }, now, atMs)
      const keyed = typeAtOnce(seenAt(before.ui, now, atMs), now, atMs, atMs % 60 === 0 ? 'y' : 'enter')
      const { ui, intents } = { ui: keyed.ui, intents: [...before.intents, ...keyed.intents] }
      typed = { ui, intents: [...typed.intents, ...intents] }
    }
    expect(typed.intents.filter(({ kind }) => kind === 'decide')).toEqual([])
    await talk.decide('denied')
    await talk.ended()
  },

  /** Another question takes the place of the one that was read, 5 ms before the key. */
  async A096(told) {
    onlyOnce(told)
    const [a, b] = await Promise.all([askedToEscape(told, '-a'), askedToEscape(told, '-b')])
    const [first, second] = [a.talk.state(), b.talk.state()]
    const read = seenAt(openUi, first, 1_000)
    const swapped = seenAt(read, second, 5_000)
    const given = (ui: Typed['ui'], atMs: number) =>
      rest(typeAtOnce(ui, second, atMs, 'y'), second, atMs + 1_000).intents
    expect(given(swapped, 5_005)).toEqual([])
    // Not painted yet: what the key meets is not what was read.
    expect(given(read, 5_005)).toEqual([])
    const { id } = await b.talk.question()
    expect(given(swapped, 6_000)).toMatchObject([{ kind: 'decide', approvalId: id }])
    for (const { talk } of [a, b]) {
      await talk.decide('denied')
      await talk.ended()
    }
  },

  /** Names, titles, output and text of model, command and tool server, all on one real terminal. */
  async P714(told) {
    onlyOnce(told)
    const print = `printf '${forged.replaceAll('\u001b', '\\033').replaceAll('\u0007', '\\007')}'; echo shown`
    const { pty } = openTerminal(told, {
      steps: [
        ({ body }) => ({
          text: `said ${forged} so`,
          calls: [{ name: 'shell', arguments: { command: print } }, ...evilCall(body)],
        }),
        { text: `[link](http://127.0.0.1/${forged}) ends here` },
      ],
      more: ` ${forged}`,
      flags: ['-s', 'danger-full-access'],
    })
    await using _ = pty
    await pty.waitFor(/ends here/)
    await pty.waitFor(/› Ask/)
    pty.paste('/mcp')
    await pty.waitFor(/\/mcp/)
    pty.press('Enter')
    await pty.waitFor(/evil +\w+/)
    expect(pty.terminal.transcript().join('\n')).toContain('shown')
    expect(pty.rawBytes().toString('latin1')).not.toMatch(effects)
    expect(pty.rawBytes().toString()).not.toMatch(effects)
  },
}

function evilCall(body: unknown) {
  const names = JSON.stringify(body).match(/mcp__evil__\w+/) ?? []
  return names.map((name) => ({ name, arguments: {} }))
}
