import { enterEnvironment } from '@parley/engine/src/open/enter-environment.ts'
import { findRunning } from '@parley/engine/src/session/running-on.ts'
import { createRedaction } from '@parley/redaction'
import { EnvironmentUnreachableError } from '@parley/workspace'
import { expect, it } from 'vitest'

it('a conversation whose machine is lost while it opens knows what was typed there as hidden', async () => {
  const text = 'just a word of mine'
  const kept = { found: async () => ({ ages: new Map(), hidden: [text] }), end: () => undefined }
  // narrowed: what a look at a conversation without commands uses
  const logged = { state: { core: { open: {} } }, view: {} } as unknown as Parameters<typeof findRunning>[0]
  const { hidden } = await findRunning(logged, kept)

  const away = () => Promise.reject(new EnvironmentUnreachableError('box is away.'))
  const redaction = createRedaction({ home: '/nowhere', env: {} })
  redaction.useKey(new Uint8Array(32))
  const settings = { environment: 'box', writableRoots: [] }
  const entry = {
    conversation: { state: { core: { seq: 7, settings, meta: { cwd: '/' } } }, readOnly: false },
    environment: { rootsNow: away, kept: { hidden: async () => [] } },
    roles: { record: { redaction }, model: {}, act: {} },
    parts: { hidden },
  } as unknown as Parameters<typeof enterEnvironment>[0]
  const { warnings } = await enterEnvironment(entry)
  expect(warnings.join()).toContain('box is away.')
  expect(redaction.text(`it was ${text}`)).toMatch(/^it was \[secret:typed:\w+\]$/)
})
