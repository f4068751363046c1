import { type ScriptedCall, type ScriptedModel, scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { Watched } from '@parley/engine/test/support/test-client.ts'
import type { TestPorts } from '@parley/engine/test/support/test-parts.ts'
import type { ParamsOf } from '@parley/protocol'
import { type Talk, type TestPlace, testPlace } from '../../engine/support/test-server.ts'
import { configFor } from './config-for.ts'
import { type FarFolder, type FarMachine, startFarMachine } from './far-machine.ts'

interface FarConfig {
  readonly port?: number
  readonly config?: string
}

/** A user here and a machine there. */
export interface FarPlace<Far extends FarFolder = FarMachine> extends AsyncDisposable {
  readonly far: Far
  readonly here: TestPlace
  /** A conversation that works there; the link goes through `port`, straight unless told. `config` is added to the file. */
  talk(model: ScriptedModel, more?: TestPorts & FarConfig, begun?: typeof inBox): Promise<Talk>
}

/** With a machine of its own. */
export async function farPlace(): Promise<FarPlace> {
  const far = await startFarMachine()
  const place = placeFor(far)
  return {
    ...place,
    async [Symbol.asyncDispose]() {
      await place[Symbol.asyncDispose]()
      await far[Symbol.asyncDispose]()
    },
  }
}

/** With a folder of a machine that others use too. */
export function placeFor<Far extends FarFolder>(far: Far): FarPlace<Far> {
  const here = testPlace()
  return {
    far,
    here,
    talk(model, { port = far.port, config = '', ...ports } = {}, begun = inBox) {
      here.write('../.parley/config.toml', `${configFor(far, port)}${config}`)
      return here.talk({ model, ...ports }, begun)
    },
    [Symbol.asyncDispose]: () => here[Symbol.asyncDispose](),
  }
}

/** Asks in the same way whether the exec-server of this machine has a sandbox or not. */
export const inBox: Partial<ParamsOf<'conversation/create'>> = { environment: 'box', approvalPolicy: 'untrusted' }

export function shell(command: string, more: Readonly<Record<string, unknown>> = {}): ScriptedCall {
  return { name: 'shell', args: { command, ...more } }
}

export function patch(...lines: readonly string[]): ScriptedCall {
  return { name: 'apply_patch', args: { patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') } }
}

/** Output of the commands so far. */
export function heard({ events }: Watched): string {
  return events.flatMap(({ event }) => (event.type === 'item.delta' ? [event.text] : [])).join('')
}

/** A model that calls these one after the other and is done. */
export function calling(...calls: readonly ScriptedCall[]): ScriptedModel {
  return scriptedModel(...calls.map((call) => ({ calls: [call] })), { text: 'done' })
}
