import { describe } from 'vitest'
import { describeAttacks } from './world/attack-suite.ts'
import { isRoot, ordinaryUser } from './world/attack-user.ts'

// A user who is not root is an ordinary one already, and has run them all.
describe.skipIf(!isRoot)(`attacks on a server of ${ordinaryUser.name}`, () => describeAttacks(ordinaryUser))
