import type { Config } from '../config/config-schema.ts'
import type { Place } from './place.ts'

/** The places that conversations of this server work in. */
export interface Places extends AsyncDisposable {
  /** `environment` is of a conversation's settings; without one it is this machine. Throws when it is not configured. */
  take(environment: string | undefined, config: Config): TakenPlace
}

export interface TakenPlace {
  readonly place: Place
  /** The conversation is closed; a link that no other one uses is closed too. */
  release(): Promise<void>
}

export function createPlaces(local: Place): Places {
  return {
    take: () => ({ place: local, release: () => Promise.resolve() }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}
