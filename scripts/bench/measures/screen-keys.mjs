import { nowMs, sleep } from '../clock.mjs'
import { median, quantile } from '../statistics.mjs'
import { startTerminal } from '../terminal.mjs'
import { composerMark } from './screen-start.mjs'

/** Keys that occur in no text on the screen. */
const keys = ['Q', 'Z', 'J', 'X']
const rounds = 15
const betweenKeysMs = 50
const settleMs = 1500
/** Stream of 200 deltas a second, longer than the keys take. */
const stream = { play: 'paced', count: 2200, intervalMs: 5 }
const resizes = 5
/** Time without output after which everything is drawn. */
const quietMs = 300

export const screenKeys = {
  name: 'keys',
  runs: 1,
  rows: {
    idle: { what: 'key to its echo, idle, p50', unit: 'ms', budget: 6, aim: 4 },
    idleSlow: { what: 'same, p99', unit: 'ms', budget: 20, aim: 10 },
    machine: { what: 'same of a program that only echoes: the machine', unit: 'ms', budget: 5, aim: 2 },
    busy: { what: 'key to its echo, while 200 deltas/s come, p50', unit: 'ms', budget: 10, aim: 6 },
    busySlow: { what: 'same, p99', unit: 'ms', budget: 25, aim: 15 },
    resize: { what: 'resize: until all is drawn', unit: 'ms', budget: 40, aim: 20 },
    resizeBytes: { what: 'same: written', unit: 'KiB', budget: 10, aim: 3 },
  },
  async measure({ program, model, place }) {
    await using terminal = startTerminal([program.launcher], place)
    await terminal.sees(composerMark)
    await sleep(settleMs)
    const idle = await echoes(terminal)
    const machine = await bareEchoes(place)
    const { tookMs, bytes } = await resized(terminal)
    await model.play(stream)
    terminal.type('go\r')
    await sleep(settleMs)
    const busy = await echoes(terminal)
    return {
      idle: median(idle),
      idleSlow: quantile(idle, 0.99),
      machine: quantile(machine, 0.99),
      busy: median(busy),
      busySlow: quantile(busy, 0.99),
      resize: tookMs,
      resizeBytes: bytes / 1024,
    }
  },
}

const echo = 'process.stdin.setRawMode(true); process.stdin.pipe(process.stdout); console.log("ready")'

/** Measures what waits for the processor add to each key: a busy machine delays any program by tens of milliseconds. */
async function bareEchoes(place) {
  await using terminal = startTerminal([process.execPath, '-e', echo], place)
  await terminal.sees('ready')
  return await echoes(terminal)
}

/** Types and erases each key. Resolves to the times until they showed. */
async function echoes(terminal) {
  const tookMs = []
  for (let round = 0; round < rounds; round++) {
    for (const key of keys) {
      const shown = terminal.sees(key)
      const typedMs = nowMs()
      terminal.type(key)
      tookMs.push((await shown) - typedMs)
      await sleep(betweenKeysMs)
    }
    terminal.type('\x7f'.repeat(keys.length))
    await sleep(4 * betweenKeysMs)
  }
  return tookMs
}

/** Makes the window narrower several times; making it wider may draw nothing. */
async function resized(terminal) {
  const seen = []
  for (let nth = 0; nth < resizes; nth++) {
    const before = { ms: nowMs(), bytes: terminal.byteCount() }
    terminal.resize(80)
    await sleep(quietMs)
    seen.push({ tookMs: terminal.lastOutputMs() - before.ms, bytes: terminal.byteCount() - before.bytes })
    terminal.resize(120)
    await sleep(quietMs)
  }
  return { tookMs: median(seen.map(({ tookMs }) => tookMs)), bytes: median(seen.map(({ bytes }) => bytes)) }
}
