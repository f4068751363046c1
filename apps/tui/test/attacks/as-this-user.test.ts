import { describe } from 'vitest'
import { describeAttacks } from './world/attack-suite.ts'
import { thisUser } from './world/attack-user.ts'

describe(`attacks on a server of ${thisUser.name}`, () => describeAttacks(thisUser))
