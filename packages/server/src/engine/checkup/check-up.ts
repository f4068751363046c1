import type { Check, ParamsOf, ResultOf } from '@parley/protocol'
import type { PolicyPorts } from '../policy/policy-ports.ts'
import { checkConfig } from './check-config.ts'
import { checkHome } from './check-home.ts'
import { checkOwners } from './check-owners.ts'
import { type CheckProviderPorts, checkProvider } from './check-provider.ts'
import { checkSandbox, checkShellParser } from './check-sandbox.ts'

export interface CheckupPorts extends PolicyPorts, CheckProviderPorts {}

/** Looks at everything at once; what cannot be looked at is said, and keeps nothing else from being looked at. */
export async function checkUp(
  { cwd, provider = true }: ParamsOf<'server/checkup'>,
  ports: CheckupPorts,
): Promise<ResultOf<'server/checkup'>> {
  const looks: readonly (readonly [string, () => Check[] | Promise<Check[]>])[] = [
    ['home', () => checkHome(ports.home)],
    ['configuration', () => checkConfig(cwd, ports)],
    ['sandbox', () => checkSandbox(ports)],
    ['shell parser', () => checkShellParser(ports)],
    ['conversations', () => checkOwners(ports)],
    ...(provider ? [['provider', () => checkProvider(ports)] as const] : []),
  ]
  const found = await Promise.all(looks.map(([name, look]) => lookAt(name, look)))
  return { checks: found.flat() }
}

async function lookAt(name: string, look: () => Check[] | Promise<Check[]>): Promise<Check[]> {
  try {
    return await look()
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return [{ name, level: 'problem', text: `it could not be looked at: ${text}` }]
  }
}
