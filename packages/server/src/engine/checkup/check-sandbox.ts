import type { Check, Enforcement } from '@parley/protocol'
import type { PolicyPorts } from '../policy/policy-ports.ts'

const meanings: Readonly<Record<Enforcement, string>> = {
  full: 'full enforcement',
  partial: 'partial enforcement: only what is known to look runs unasked',
  none: 'no enforcement: all that is not known to be safe asks first',
}

/** What enforces limits on this machine. */
export async function checkSandbox({ places }: Pick<PolicyPorts, 'places'>): Promise<Check[]> {
  const { place, release } = places.take({ environment: undefined, config: {} })
  const { enforcement, reason } = await place.sandboxes.report().finally(release)
  const said = { name: 'sandbox', text: meanings[enforcement] }
  return [
    enforcement === 'full'
      ? { ...said, level: 'ok', text: `${meanings[enforcement]}. ${reason}` }
      : { ...said, level: 'warning', remedy: reason },
  ]
}

/** Without it no command is understood, and every one asks. */
export async function checkShellParser({ shellParser }: Pick<PolicyPorts, 'shellParser'>): Promise<Check[]> {
  const { commands, because } = await shellParser.read('true')
  if (commands !== null) return [{ name: 'shell parser', level: 'ok', text: 'reads commands' }]
  const text = because ?? 'it reads nothing'
  return [{ name: 'shell parser', level: 'problem', text, remedy: 'Every command asks. Install parley anew.' }]
}
