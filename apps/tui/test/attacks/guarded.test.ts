import { canBeOrdinary } from '@parley/testkit/ordinary-user'
import { describe } from 'vitest'
import { describeGuarded } from './guarded/guarded-suite.ts'
import { ordinaryUser, thisUser, withoutBubblewrap } from './world/attack-user.ts'

const users = canBeOrdinary ? [thisUser, ordinaryUser] : [thisUser]
const levels = ['full', 'partial'] as const
const isLong = process.env['PARLEY_LONG_TESTS'] === '1'

/** All worlds in long runs; else each user in one of them, and each enforcement in one, where there are two users. */
const worlds = users.flatMap((user, index) =>
  levels.map((level, place) => ({ name: user.name, user, level, turn: 2 * index + place, isChosen: index === place })),
)
const chosen = worlds.filter(({ isChosen }) => isLong || !canBeOrdinary || isChosen)

describe.each(chosen)('a server of $name with $level enforcement', ({ user, level, turn }) =>
  describeGuarded(level === 'full' ? user : withoutBubblewrap(user), level, turn),
)
