import { methods } from '@agentclientprotocol/sdk'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { SettingsPatch } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { fullAccess, type TestServer, testPlace } from '../../engine/support/test-server.ts'
import { type Editor, openEditor } from './editor.ts'

const setOption = ({ agent }: Editor, sessionId: string, configId: string, value: string) =>
  agent.request(methods.agent.session.setConfigOption, { sessionId, configId, value })

const setMode = ({ agent }: Editor, sessionId: string, modeId: string) =>
  agent.request(methods.agent.session.setMode, { sessionId, modeId })

/** Changes settings as a terminal does that is attached. */
async function configureElsewhere(server: TestServer, conversationId: string, settings: SettingsPatch) {
  const terminal = await server.connect('terminal')
  await terminal.request('conversation/configure', { conversationId, settings })
}

const settingsOf = async (server: TestServer, sessionId: string) =>
  (await (await server.connect()).watch(sessionId)).state.core.settings

describe('the modes of a session', () => {
  it('are those that the table names, with the default in force', async () => {
    await using place = testPlace()
    await using editor = await openEditor(place.start())
    const { modes, configOptions } = await editor.open(place.cwd)
    expect(modes?.currentModeId).toBe('edit')
    expect(modes?.availableModes.map(({ id }) => id)).toEqual(['ask', 'edit', 'plan', 'custom'])
    const values = [{ value: 'ask' }, { value: 'edit' }, { value: 'plan' }]
    expect(configOptions?.[0]).toMatchObject({ id: 'mode', category: 'mode', currentValue: 'edit', options: values })
  })

  it('set policy and sandbox, before and after the first message', async () => {
    await using place = testPlace()
    const server = place.start()
    await using editor = await openEditor(server)
    const { sessionId } = await editor.open(place.cwd)
    await setMode(editor, sessionId, 'plan')
    await editor.until('current_mode_update', ({ currentModeId }) => currentModeId === 'plan')
    await editor.say(sessionId, 'go')
    expect(await settingsOf(server, sessionId)).toMatchObject({
      approvalPolicy: 'on-request',
      sandbox: 'read-only',
    })
    const { configOptions } = await setOption(editor, sessionId, 'mode', 'ask')
    expect(configOptions[0]).toMatchObject({ currentValue: 'ask' })
    expect(await settingsOf(server, sessionId)).toMatchObject({ approvalPolicy: 'untrusted' })
  })

  it('above the ceiling are neither offered nor set', async () => {
    await using place = testPlace()
    const ceiling = { maxSandbox: 'read-only', allowNever: false, profile: null } as const
    await using editor = await openEditor(place.start({ ceiling }))
    const { modes, sessionId } = await editor.open(place.cwd)
    expect(modes?.currentModeId).toBe('plan')
    expect(modes?.availableModes.map(({ id }) => id)).toEqual(['plan', 'custom'])
    await expect(setMode(editor, sessionId, 'edit')).rejects.toThrow('There is no mode edit to choose here.')
  })

  it('are followed when another client changes them, `custom` included', async () => {
    await using place = testPlace()
    const server = place.start({ ceiling: fullAccess })
    await using editor = await openEditor(server)
    const { sessionId } = await editor.open(place.cwd)
    await editor.say(sessionId, 'go')
    await configureElsewhere(server, sessionId, { approvalPolicy: 'on-failure' })
    await editor.until('current_mode_update', ({ currentModeId }) => currentModeId === 'custom')
    const { configOptions } = await editor.until('config_option_update')
    expect(configOptions[0]).toMatchObject({ currentValue: 'custom' })
    expect(JSON.stringify(configOptions)).toContain('"value":"custom"')
    await expect(setMode(editor, sessionId, 'custom')).resolves.toEqual({})
    await setMode(editor, sessionId, 'edit')
    await expect(setMode(editor, sessionId, 'custom')).rejects.toThrow('There is no mode custom')
    await expect(setMode(editor, sessionId, 'yolo')).rejects.toMatchObject({ code: -32602 })
  })
})

describe('model and effort of a session', () => {
  it('are those in force, chosen from what the providers list', async () => {
    await using place = testPlace()
    const model = scriptedModel()
    const listModels = () => Promise.resolve({ type: 'models' as const, models: ['m1', 'm2'] })
    const server = place.start({ model: { ...model, client: { ...model.client, listModels } } })
    await using editor = await openEditor(server)
    const { sessionId, configOptions } = await editor.open(place.cwd)
    expect(configOptions?.[1]).toMatchObject({ id: 'model', category: 'model', currentValue: 'fake/m1' })
    expect(configOptions?.[2]).toMatchObject({ category: 'thought_level', currentValue: 'default' })
    const { configOptions: listed } = await editor.until('config_option_update')
    const models = [{ value: 'fake/m1', name: 'm1' }, { value: 'fake/m2' }]
    expect(listed[1]).toMatchObject({ options: [{ group: 'fake', options: models }] })
    await setOption(editor, sessionId, 'model', 'fake/m2')
    await setOption(editor, sessionId, 'effort', 'high')
    await editor.say(sessionId, 'go')
    expect(await settingsOf(server, sessionId)).toMatchObject({ modelProvider: 'fake', model: 'm2', effort: 'high' })
  })

  it('are followed when another client changes them, and nothing else can be set', async () => {
    await using place = testPlace()
    const server = place.start()
    await using editor = await openEditor(server)
    const { sessionId } = await editor.open(place.cwd)
    await editor.say(sessionId, 'go')
    await configureElsewhere(server, sessionId, { model: 'own', effort: 'ultra' })
    const isTold = ({ configOptions }: { configOptions: readonly unknown[] }) =>
      JSON.stringify(configOptions).includes('ultra')
    const { configOptions } = await editor.until('config_option_update', isTold)
    expect(configOptions).toMatchObject([{}, { currentValue: 'fake/own' }, { currentValue: 'ultra' }])
    for (const [option, value] of [
      ['model', 'elsewhere/m1'],
      ['effort', 'most'],
      ['writableRoots', '/'],
    ] as const)
      await expect(setOption(editor, sessionId, option, value)).rejects.toMatchObject({ code: -32602 })
    const toggled = { sessionId, configId: 'mode', type: 'boolean', value: true } as const
    await expect(editor.agent.request(methods.agent.session.setConfigOption, toggled)).rejects.toThrow('no option')
  })
})
