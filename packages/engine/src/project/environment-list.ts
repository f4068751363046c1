import { chosenEnvironment } from '@parley/config'
import { type ResultOf, type Rights, thisMachine } from '@parley/protocol'
import type { Environments } from '@parley/workspace'
import { readConfig } from '../settings/read-config.ts'

/** Lists the configured environments without machines of other users, which no conversation of this user can reach. */
export function listEnvironments(
  { person }: Pick<Rights, 'person'>,
  { home, environments }: { readonly home: string; readonly environments: Pick<Environments, 'serves'> },
): ResultOf<'environment/list'> {
  const config = readConfig(home, {}).values
  const users = person.kind === 'user' ? [person.name] : []
  const offered = Object.entries(config.environments ?? {}).filter(([environment]) =>
    environments.serves({ environment, config }, users),
  )
  return {
    environments: offered.map(([name, { cwd }]) => ({ name, ...(cwd === undefined ? {} : { cwd }) })),
    chosen: chosenEnvironment(config) ?? thisMachine,
  }
}
