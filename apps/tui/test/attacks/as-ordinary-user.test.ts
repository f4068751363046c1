import { canBeOrdinary, whyNotOrdinary } from '@parley/testkit/ordinary-user'
import { describe } from 'vitest'
import { describeAttacks } from './world/attack-suite.ts'
import { ordinaryUser } from './world/attack-user.ts'

// Where there is one user only, that user's server has met them all.
describe.skipIf(!canBeOrdinary)(`attacks on a server of ${ordinaryUser.name}${whyNotOrdinary}`, () =>
  describeAttacks(ordinaryUser),
)
