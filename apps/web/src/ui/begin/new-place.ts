import { type ListedConversation, type ParamsOf, type ResultOf, thisMachine } from '@parley/protocol'

/** Folder that a new conversation works in, as it is written, and the machine of it. */
export interface NewPlace {
  readonly environment: string
  /** Empty for the folder that the environment is configured with. */
  readonly cwd: string
}

/** Environments to choose from; empty for a server of an earlier program. */
export type Offered = ResultOf<'environment/list'>

interface Known extends Offered {
  /** Conversations, newest first. */
  readonly listed: readonly Pick<ListedConversation, 'cwd' | 'environment'>[]
  /** Folder of the server's machine that the page was opened for; null if no folder was named. */
  readonly folder: string | null
}

/**
 * Returns the first proposal for a new conversation's place: the page's, the configured one, or the newest
 * conversation's.
 */
export function firstPlace(known: Known): NewPlace {
  const { environments, chosen, listed, folder } = known
  const names = new Set([thisMachine, ...environments.map(({ name }) => name)])
  if (chosen !== thisMachine && names.has(chosen)) return placeOn(chosen, known)
  if (folder !== null) return { environment: thisMachine, cwd: folder }
  const newest = listed.find(({ environment = thisMachine }) => names.has(environment))
  return placeOn(newest?.environment ?? thisMachine, known)
}

/** Returns the proposed folder of a machine: its own one, or the folder of the newest conversation there. */
export function placeOn(environment: string, { environments, listed, folder }: Known): NewPlace {
  const own = environment === thisMachine ? folder : environments.find(({ name }) => name === environment)?.cwd
  const newest = listed.find((one) => (one.environment ?? thisMachine) === environment)
  return { environment, cwd: own ?? newest?.cwd ?? '' }
}

/** Returns the request for a conversation there. The machine is always named, or the configured one would count. */
export function requestFor({ environment, cwd }: NewPlace): ParamsOf<'conversation/create'> {
  return { cwd, environment, ...(cwd === '' ? {} : { environmentCwd: cwd }) }
}
