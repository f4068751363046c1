import type { ExecMethodName, ExecMethods, ExecResultOf } from '@parley/protocol/exec'
import type { CallContext, MethodHandler } from '@parley/rpc'
import type { Confinement } from './confinement/confinement.ts'
import { decodeExecParams } from './decode-exec-params.ts'
import type { EnvironmentInfo } from './describe-environment.ts'
import { createFileHandlers } from './files/handlers.ts'
import type { Handshake } from './handshake.ts'
import { createInitialize } from './initialize.ts'
import type { SpokenLink } from './link.ts'
import { createProcessHandlers } from './process-handlers.ts'
import type { Sessions } from './sessions.ts'
import { olderNames } from './spelling.ts'

export type ExecHandlers = {
  readonly [Name in ExecMethodName]: (
    params: ExecMethods[Name]['decoded'],
    context: CallContext,
  ) => ExecResultOf<Name> | Promise<ExecResultOf<Name>>
}

export interface HandlerParts {
  readonly handshake: Handshake
  readonly link: SpokenLink
  readonly sessions: Sessions
  readonly confinement: Confinement
  readonly environmentInfo: () => Promise<EnvironmentInfo>
}

/** The methods under all their names. Order is checked before parameters, parameters before anything is done. */
export function createHandlers(parts: HandlerParts): Record<string, MethodHandler> {
  const { handshake, link, confinement, environmentInfo } = parts
  const handlers: ExecHandlers = {
    initialize: createInitialize(parts),
    'environment/info': environmentInfo,
    ...createProcessHandlers(() => handshake.session, confinement),
    ...createFileHandlers(link, confinement),
  }
  const names = Object.keys(handlers) as ExecMethodName[] // narrowed: the table has exactly the protocol's methods
  const methods = names.map((name) => [name, guard(name, handlers, parts)] as const)
  const aliases = Object.entries(olderNames).map(([older, name]) => {
    const handle = guard(name, handlers, parts, () => link.settleSpelling('command'))
    return [older, handle] as const
  })
  return Object.fromEntries([...methods, ...aliases])
}

function guard<Name extends ExecMethodName>(
  name: Name,
  handlers: ExecHandlers,
  { handshake, link }: HandlerParts,
  settle = () => settleCurrent(name, link),
): MethodHandler {
  return (params, context) => {
    if (name === 'initialize') handshake.assertNew()
    else void handshake.session
    settle()
    return handlers[name](decodeExecParams(name, params), context)
  }
}

function settleCurrent(name: ExecMethodName, link: SpokenLink): void {
  if (name.startsWith('process/')) link.settleSpelling('process')
}
