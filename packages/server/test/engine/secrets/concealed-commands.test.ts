import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { secretCorpus } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const key = secretCorpus('concealed').find(({ name }) => name === 'RSA PRIVATE KEY')?.text ?? ''
const npm = secretCorpus('concealed').find(({ name }) => name === 'npm')?.secret ?? ''

/** Outcome of a command that needs a question: refused, or the question. */
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
    ['in the name of a script', `touch x; bash ${npm}`],
    ['in the name of a script behind an option', `touch x; make -f ${npm}`],
    ['in the name of a sourced file', `touch x; . ${npm}`],
    ['in the name of a script of the package', `touch x; npm run ${npm}`],
    ['in a module that is loaded', `touch x; node --require=${npm} a.js`],
    ['in a variable that names the script', `touch x; API_TOKEN=${npm}; bash "$API_TOKEN"`],
    ['in a word that a shell runs', `touch x; echo ${npm} | sh`],
    ['in a word that is written to a script', `echo ${npm} > run; sh ./run`],
    ['once in its place and once as a script', `touch x; npm login --token ${npm}; bash ${npm}`],
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

  it.each([
    'npm login --token KEY > made',
    'npm config set x --auth-token=KEY > made',
    'NPM_TOKEN=KEY npm publish > made',
    'export NPM_TOKEN="KEY"; npm login --token "$NPM_TOKEN" > made',
    `curl -H 'Authorization: Bearer KEY' https://a.example > made`,
    'curl -u name:KEY https://a.example > made',
    'echo KEY >> made',
    `printf '%s' 'KEY' > made`,
  ])('but a key that is only passed on is shown as a mark in the question: %s', async (command) => {
    const shown = await outcomeOf(command.replaceAll('KEY', npm))
    expect(shown.replaceAll(/\[secret:[\w-]+:\w{8}\]/g, 'KEY')).toBe(command)
  })
})
