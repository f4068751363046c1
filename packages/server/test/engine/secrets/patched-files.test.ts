import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { ModelRequest } from '@parley/models'
import { secretCorpus } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const corpus = secretCorpus('patched')
const secretOf = (wanted: string) => corpus.find(({ name }) => name === wanted)?.secret ?? ''
const stripe = secretOf('stripe live')
const sendgrid = secretOf('sendgrid')
const read = { calls: [{ name: 'read_file', args: { path: 'keys.env' } }] }
const free = { sandbox: 'danger-full-access' } as const

/** The marks of what was read last, in their order. */
function marksIn({ entries }: ModelRequest): string[] {
  const last = entries.at(-1)
  return last?.kind === 'result' ? (last.text.match(/\[secret:[\w-]+:[0-9a-f]{8}\]/g) ?? []) : []
}

/** Returns the file after a patch by a model that has read it, and the result that the model gets. */
async function patched(content: string, patchFor: (marks: readonly string[]) => string) {
  await using place = testPlace()
  place.write('keys.env', content)
  const model = scriptedModel(
    read,
    (request) => ({ calls: [{ name: 'apply_patch', args: { patch: patchFor(marksIn(request)) } }] }),
    { text: 'ok' },
  )
  const { watched } = await place.talk({ model }, free)
  await watched.send('go')
  await watched.turnEnded()
  const told = model.requests.at(-1)?.entries.at(-1)
  return { after: place.read('keys.env'), told: told?.kind === 'result' ? told.text : '', watched }
}

describe('a file whose secrets the model sees as marks', () => {
  it('keeps, moves and removes its secrets as the patch says', async () => {
    const { after, watched } = await patched(
      `# keys\nSTRIPE=${stripe}\nPORT=1\nMAIL=${sendgrid}\n`,
      ([first, second]) => `*** Begin Patch
*** Update File: keys.env
@@
-STRIPE=${first}
-PORT=1
+PORT=2
+STRIPE_LIVE="${first}"
 MAIL=${second}
*** End Patch`,
    )
    expect(after).toBe(`# keys\nPORT=2\nSTRIPE_LIVE="${stripe}"\nMAIL=${sendgrid}\n`)
    expect(JSON.stringify(watched.events)).not.toContain(stripe)
    expect(watched.items().find(({ type }) => type === 'fileChange')).not.toHaveProperty('restorable')
  })

  it('never gets a mark in place of a secret from elsewhere', async () => {
    const content = `STRIPE=${stripe}\n`
    const add = (mark = '') => `*** Begin Patch\n*** Add File: copy.env\n+STRIPE=${mark}\n*** End Patch`
    const { after, told } = await patched(content, ([mark]) => add(mark))
    expect(told).toMatch(/^copy\.env.*would get the mark \[secret:stripe:[0-9a-f]{8}\] instead of the secret/m)
    expect(after).toBe(content)
    const other = '*** Begin Patch\n*** Update File: keys.env\n@@\n-A=1\n+A=[secret:aws:0123abcd]\n*** End Patch'
    expect(await patched('A=1\n', () => other)).toMatchObject({ after: 'A=1\n' })
  })

  it('can hold text that looks like a mark', async () => {
    const patch =
      '*** Begin Patch\n*** Update File: keys.env\n@@\n see [secret:aws:0123abcd]\n-x\n+y [secret:aws:0123abcd]\n*** End Patch'
    const { after } = await patched('see [secret:aws:0123abcd]\nx\n', () => patch)
    expect(after).toBe('see [secret:aws:0123abcd]\ny [secret:aws:0123abcd]\n')
  })
})
