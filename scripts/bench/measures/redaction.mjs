import { createRedactor } from '../../../packages/redaction/src/index.ts'
import { redactOutput } from '../../../packages/redaction/src/redaction.ts'

const outputBytes = 32 << 20
const chunkBytes = 64 << 10
const deltas = 50_000

/** Returns typical output of builds, tests and servers, without secrets. */
function logText() {
  const lines = Array.from({ length: 4000 }, (_, n) =>
    [
      `2026-11-21T12:00:${n % 60}Z INFO [worker-${n % 8}] GET /api/v1/items/${(n * 7919) % 100_003} 200 in ${n % 300} ms`,
      ` ✓ packages/server/test/engine/run-call.test.ts (12 tests) ${n % 999}ms`,
      `[${n % 120}/120] Building CXX object src/CMakeFiles/core.dir/module_${n}.cpp.o`,
      'npm warn deprecated inflight@1.0.6: This module is not supported, see https://example.org/inflight',
      `    at Object.run (/srv/app/node_modules/tool/lib/index.js:${n % 900}:17)`,
    ].join('\n'),
  )
  return Buffer.from(lines.join('\n'))
}

/** Creates the redactor of a server with four secrets in its environment. */
function redactorOfServer() {
  const values = ['one', 'two', 'three', 'four'].map((kind) => ({ kind, value: `Value-of-${kind}/12+x` }))
  return createRedactor({ values, tag: () => '00000000' })
}

function outputRate(redactor, text) {
  const filter = redactOutput(redactor.stream())
  const startMs = performance.now()
  for (let done = 0; done < outputBytes; done += chunkBytes) {
    const from = done % (text.length - chunkBytes)
    filter.push(text.subarray(from, from + chunkBytes))
  }
  return outputBytes / 1e3 / (performance.now() - startMs)
}

function deltaMicros(redactor) {
  const stream = redactor.stream()
  const startMs = performance.now()
  for (let n = 0; n < deltas; n++) stream.push(' some words of an answer')
  return ((performance.now() - startMs) * 1000) / deltas
}

export const redaction = {
  name: 'redaction',
  runs: 5,
  rows: {
    output: { what: 'secrets looked for in output', unit: 'MB/s', more: true, budget: 200, aim: 300 },
    delta: { what: 'same, one delta of a message', unit: 'µs', budget: 10, aim: 3 },
    ready: { what: 'same, made ready', unit: 'ms', budget: 10, aim: 3 },
  },
  async measure() {
    const startMs = performance.now()
    const redactor = redactorOfServer()
    const ready = performance.now() - startMs
    const text = logText()
    outputRate(redactor, text)
    return { output: outputRate(redactor, text), delta: deltaMicros(redactor), ready }
  },
}
