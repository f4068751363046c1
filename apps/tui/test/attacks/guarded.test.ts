import { describe } from 'vitest'
import { describeGuarded } from './guarded/guarded-suite.ts'
import { isRoot, ordinaryUser, thisUser, withoutBubblewrap } from './world/attack-user.ts'

const users = isRoot ? [thisUser, ordinaryUser] : [thisUser]

describe.each(users.map((user, index) => ({ name: user.name, user, index })))(
  'a server of $name',
  ({ user, index }) => {
    describe('with full enforcement', () => describeGuarded(user, 'full', 2 * index))
    describe('with partial enforcement', () => describeGuarded(withoutBubblewrap(user), 'partial', 2 * index + 1))
  },
)
