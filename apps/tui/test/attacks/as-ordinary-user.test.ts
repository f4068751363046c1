import { canBeOrdinary, whyNotOrdinary } from '@parley/testkit/ordinary-user'
import { describe, test } from 'vitest'
import { describeAttacks } from './world/attack-suite.ts'
import { ordinaryUser } from './world/attack-user.ts'

const title = `attacks on a server of ${ordinaryUser.name}`

// Where there is one user only, that user's server meets all of them.
if (canBeOrdinary) describe(title, () => describeAttacks(ordinaryUser))
else test.skip(`${title}${whyNotOrdinary}`)
