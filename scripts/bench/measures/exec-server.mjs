import { randomBytes } from 'node:crypto'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { nowMs, sleep } from '../clock.mjs'
import { startExecServer } from '../exec-client.mjs'
import { watchMemory } from '../peak-memory.mjs'
import { residentMiB } from '../process-tree.mjs'
import { median } from '../statistics.mjs'

const roundTrips = 1000
const passes = 3
const fileBytes = 200_000_000
const stallMs = 10_000

/** Measures an exec-server as its client sees it: delay, throughput, memory. */
export const execServer = {
  name: 'exec-server',
  runs: 1,
  rows: {
    roundTrip: { what: 'exec-server: `true`, start to closed, of 1,000', unit: 'ms', budget: 8, aim: 7 },
    pipe: { what: 'exec-server: cat of 200 MB through a pipe', unit: 'MB/s', more: true, budget: 150, aim: 200 },
    terminal: { what: 'exec-server: cat of 200 MB through a pty', unit: 'MB/s', more: true, budget: 60, aim: 80 },
    memory: { what: 'exec-server: peak memory meanwhile', unit: 'MiB', budget: 300, aim: 220 },
    stalled: { what: 'exec-server: growth while a reader stalls 10 s', unit: 'MiB', budget: 16, aim: 4 },
  },
  async measure({ program, place }) {
    const file = join(place.workspace, 'large')
    writeLarge(file)
    try {
      await using server = startExecServer(program, place)
      await server.initialize()
      const roundTrip = await medianRoundTrip(server)
      const pipe = await rateOf(server, 'pipe', ['cat', file])
      const terminal = await rateOf(server, 'terminal', ['cat', file], { tty: true })
      const memory = await peakMemory(server, file)
      const stalled = await growthWhileStalled(server, file)
      return { roundTrip, pipe, terminal, memory, stalled }
    } finally {
      rmSync(file)
    }
  },
}

/** Measures several passes, because other work of the machine distorts a single one. */
async function rateOf(server, name, argv, more) {
  const rates = []
  for (let pass = 0; pass < passes; pass++) rates.push(await passRate(server, `${name}-${pass}`, argv, more))
  return median(rates)
}

/** Writes lines of text, because a terminal has work for each line. */
function writeLarge(file) {
  const line = `${randomBytes(39).toString('hex')}\n`
  const block = Buffer.from(line.repeat(10_000))
  const fd = openSync(file, 'w')
  for (let done = 0; done < fileBytes; done += block.length)
    writeSync(fd, block, 0, Math.min(block.length, fileBytes - done))
  closeSync(fd)
}

async function medianRoundTrip(server) {
  const times = []
  for (let turn = 0; turn < roundTrips; turn++) {
    const startedMs = nowMs()
    await server.run(`true-${turn}`, ['true'])
    times.push(nowMs() - startedMs)
  }
  return median(times)
}

async function passRate(server, processId, argv, more) {
  const startedMs = nowMs()
  const bytes = await server.run(processId, argv, more)
  if (bytes < fileBytes) throw new Error(`${processId}: ${bytes} bytes came of ${fileBytes}`)
  return fileBytes / 1000 / (nowMs() - startedMs)
}

/** Measures memory in a pass of its own, because sampling takes time from the client. */
async function peakMemory(server, file) {
  const memory = watchMemory(() => [server.pid])
  await passRate(server, 'watched', ['cat', file])
  return memory.stop()
}

/** Measures the growth while the reader pauses. Every byte arrives afterwards. */
async function growthWhileStalled(server, file) {
  const running = server.run('stalled', ['cat', file])
  await sleep(100)
  server.pause()
  await sleep(500)
  const beforeMiB = residentMiB([server.pid])
  const memory = watchMemory(() => [server.pid])
  await sleep(stallMs)
  const growthMiB = memory.stop() - beforeMiB
  server.resume()
  const bytes = await running
  if (bytes !== fileBytes) throw new Error(`a stalled reader got ${bytes} bytes of ${fileBytes}`)
  return growthMiB
}
