import { afterEach, beforeEach, test, vi } from 'vitest'
import { arriving, random, stormWorld } from './storm-world.ts'
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance', 'Date'] }))
afterEach(() => void vi.useRealTimers())
const N = 50
const mode = (process.env['RMODE'] ?? 'shift') as 'shift'
test('debug', { timeout: 600_000 }, async () => {
  for (let seed = Number(process.env["FROM"] ?? 1); seed <= Number(process.env['SEEDS'] ?? 25); seed++) {
    const next = random(seed)
    const size = { columns: 100, rows: 30 }
    using world = stormWorld({ size, next, reflow: mode })
    let waitMs = 0
    for (const state of arriving(N, 12)) {
      world.controller.follow(state)
      await world.pass(5)
      waitMs -= 5
      if (waitMs > 0) continue
      world.resize({ columns: process.env['FIXW'] ? 100 : 50 + next(100), rows: process.env['FIXH'] ? 30 : 16 + next(34) })
      waitMs = next(4) === 0 ? 400 : 10 + next(50)
    }
    world.resize(size)
    await world.pass(1_500)
    const rows = world.transcript().join('\n')
    const count = new Map<string, number>()
    for (const m of rows.match(/[BE]\d+[be]/g) ?? []) count.set(m, (count.get(m) ?? 0) + 1)
    const all = Array.from({ length: N }, (_, n) => [`B${n}b`, `E${n}e`]).flat()
    console.log(seed, 'lost', all.filter((m) => !count.has(m)).join(' '), '| doubled', all.filter((m) => (count.get(m) ?? 0) > 1).join(' '), '| status', rows.match(/gpt-5/g)?.length, rows.match(/esc/gi)?.length)
    if (process.env['SHOW'] === String(seed)) console.log(rows)
  }
})
