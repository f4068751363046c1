import { secretCorpus } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { scriptedModel } from '../support/scripted-model.ts'
import { testPlace } from '../support/test-server.ts'

const key = secretCorpus('concealed').find(({ name }) => name === 'RSA PRIVATE KEY')?.text ?? ''
const npm = secretCorpus('concealed').find(({ name }) => name === 'npm')?.secret ?? ''

/** How a command ends that the user would be asked about: refused, or the question. */
async function outcomeOf(command: string): Promise<string> {
  await using place = testPlace()
  const { watched } = await place.talk({ model: scriptedModel({ calls: [{ name: 'shell', args: { command } }] }) })
  await watched.send('go')
  return await watched.until(({ core, window }) => {
    const [approval] = Object.values(core.approvals)
    const refused = window.find(({ item }) => item.type === 'commandExecution')?.item
    return approval?.command?.at(-1) ?? (refused?.type === 'commandExecution' ? refused.modelText : undefined)
  })
}

describe('a call that would hide a part of itself as a secret is rejected', () => {
  it.each([
    ['in the password of a URL', 'touch x; curl http://a:b1;reboot;@host/'],
    ['in the gaps of a private key', `touch x; echo '${key}'`],
    ['in what would be a token after an assignment', 'touch x; api_key= /tmp/payload-0123456789abcdef'],
    ['on the line after a word', 'touch x; echo bearer\n/tmp/payload0123456789abc'],
    ['in the name of a program', `touch x; ${npm} --now`],
    ['behind a wrapper', `touch x; env ${npm} --now`],
  ])('%s', async (_where, command) => {
    expect(await outcomeOf(command)).toMatch(
      /^Not run: the user must see all of a call to approve it, and a part of this one is hidden/,
    )
  })

  it('when it is a patch, except for the lines of a key', async () => {
    await using place = testPlace()
    const add = (text: string) => ({
      calls: [
        {
          name: 'apply_patch',
          args: { patch: `*** Begin Patch\n*** Add File: a\n${text.replaceAll(/^/gm, '+')}\n*** End Patch` },
        },
      ],
    })
    const model = scriptedModel(add('# http://a:b1;reboot;@host/'), add(key.trimEnd()))
    const { watched } = await place.talk({ model })
    await watched.send('go')
    expect(await watched.approval()).toMatchObject({
      kind: 'patch',
      detail: expect.stringContaining('[secret:private-key:'),
    })
    expect(watched.items()[1]).toMatchObject({
      modelText: expect.stringMatching(/^Not run: the user must see all of a call/),
    })
    await watched.decide('approved')
    await watched.turnEnded()
    expect(place.read('a')).toBe(key)
  })

  it('but a key that is only passed on is shown as a mark in the question', async () => {
    expect(await outcomeOf(`npm login --token ${npm} > made`)).toMatch(
      /^npm login --token \[secret:npm:\w{8}\] > made$/,
    )
  })
})
