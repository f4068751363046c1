import { asOrdinaryUser, canBeOrdinary, whyNotOrdinary } from '@parley/testkit/ordinary-user'
import { bwrap, hasBubblewrap, trial, works } from './bubblewrap-here.ts'

const [setpriv, ...words] = asOrdinaryUser

/** Users whose commands run in bubblewrap where that is possible, with the prefix of their commands. */
export const bubblewrapUsers = [
  { who: 'this user', prefix: [], possible: hasBubblewrap },
  {
    who: `an ordinary user${whyNotOrdinary}`,
    prefix: asOrdinaryUser,
    possible: canBeOrdinary && works(setpriv, [...words, bwrap, ...trial]),
  },
] as const
