import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { ModelEntry } from '../../../src/port/model-client.ts'
import type { HttpWire } from '../../../src/port/wire.ts'
import { anthropicWire } from '../../../src/wires/anthropic/wire.ts'
import { chatWire } from '../../../src/wires/chat/wire.ts'
import { geminiWire } from '../../../src/wires/gemini/wire.ts'
import { writeCall } from '../../../src/wires/plugin/write-call.ts'
import { responsesWire } from '../../../src/wires/responses/wire.ts'
import { cleanHistories } from '../../support/clean-histories.ts'
import { requestOf, textWriter } from '../../support/requests.ts'

const overHttp = (wire: HttpWire, model: string) => (adapter: string) => {
  const write = textWriter(wire.createWriter(adapter))
  return (entries: readonly ModelEntry[]) => write(requestOf(entries, { model }))
}
const byPackage = (adapter: string) => (entries: readonly ModelEntry[]) =>
  JSON.stringify(writeCall(requestOf(entries), adapter))

/**
 * Digests of the requests of a thousand histories, as the program before the healing of requests wrote them: a prompt
 * cache of then is still read.
 */
it.each([
  ['responses', overHttp(responsesWire, 'gpt-5'), '57478e974b9ffdc1'],
  ['chat', overHttp(chatWire, 'm'), '31da3346cd00a24f'],
  ['anthropic', overHttp(anthropicWire, 'claude-sonnet-5'), 'f13f423f3bf9f52c'],
  ['gemini', overHttp(geminiWire, 'gemini-3-pro'), '361d5865d8103901'],
  ['plugin', byPackage, 'c0ee2a7e84f0e26d'],
] as const)('clean histories go out on %s as they always did, byte for byte', (wire, writerOf, digest) => {
  const adapter = `${wire}/1:mine`
  const hash = createHash('sha256')
  for (const entries of cleanHistories(1_000, wire, adapter)) hash.update(writerOf(adapter)(entries)).update('\n')
  expect(hash.digest('hex').slice(0, 16)).toBe(digest)
})
