import { join } from 'node:path'
import { nowMs } from '../clock.mjs'
import { median } from '../statistics.mjs'

const commands = 50

/** Measures the time that limits add to the shortest command; both kinds in turn, from request to end. */
export const sandbox = {
  name: 'sandbox',
  runs: 3,
  rows: {
    added: { what: 'sandboxed /bin/true over plain, medians of 50', unit: 'ms', budget: 25, aim: 15 },
    prepared: { what: 'of it before the start, looking at files', unit: 'ms', budget: 5, aim: 2 },
  },
  async measure({ program, place }) {
    const source = join(program.launcher, '../packages/host/src/index.ts')
    const { createMark, noSandbox, openHost, openSandboxes } = await import(source)
    const sandboxes = openSandboxes({ cacheFile: null })
    const { enforcement, reason } = await sandboxes.report()
    if (enforcement !== 'full') throw new Error(`There is no full sandbox here: ${reason}`)
    const limits = limitsIn(place)
    await using host = openHost()
    await host.warmUp()
    const run = async (limited) => {
      const spec = { argv: ['/bin/true'], cwd: place.workspace, env: place.env, mark: createMark() }
      const startedMs = nowMs()
      const sandbox = limited ? await sandboxes.prepare(limits) : noSandbox
      const preparedMs = nowMs()
      const { exitCode } = await host.runCommand(spec, { sandbox }).ended
      if (exitCode !== 0) throw new Error('/bin/true did not succeed')
      return { prepared: preparedMs - startedMs, total: nowMs() - startedMs }
    }
    await run(true)
    const [plain, limited] = [[], []]
    for (let turn = 0; turn < commands; turn++) {
      plain.push(await run(false))
      limited.push(await run(true))
    }
    const medianOf = (ends, key) => median(ends.map((end) => end[key]))
    return { added: medianOf(limited, 'total') - medianOf(plain, 'total'), prepared: medianOf(limited, 'prepared') }
  },
}

function limitsIn({ workspace, home, parleyHome }) {
  return {
    mode: 'workspace-write',
    writableRoots: [workspace],
    network: false,
    unixSockets: false,
    masked: [parleyHome, ...['.ssh', '.gnupg', '.aws', '.netrc'].map((name) => join(home, name))],
    scratch: null,
  }
}
