import { expect, test } from 'vitest'
import { firstPlace, placeOn, requestFor } from '../src/ui/begin/new-conversation.tsx'

const laptop = { name: 'laptop', cwd: '/home/bo/app' }
const known = {
  environments: [laptop, { name: 'box' }],
  chosen: 'local',
  folder: null,
  listed: [{ cwd: '/of/ada', environment: 'hers' }, { cwd: '/deep/in/box', environment: 'box' }, { cwd: '/srv/app' }],
}

test('a new conversation is offered where the newest works on a machine that the user may use', () => {
  expect(firstPlace(known)).toEqual({ environment: 'box', cwd: '/deep/in/box' })
  expect(firstPlace({ ...known, environments: [] })).toEqual({ environment: 'local', cwd: '/srv/app' })
  expect(firstPlace({ ...known, listed: [] })).toEqual({ environment: 'local', cwd: '' })
})

test('a configured machine comes first, then the folder that the page was opened for', () => {
  expect(firstPlace({ ...known, folder: '/here' })).toEqual({ environment: 'local', cwd: '/here' })
  expect(firstPlace({ ...known, folder: '/here', chosen: 'laptop' })).toEqual({
    environment: 'laptop',
    cwd: '/home/bo/app',
  })
  expect(firstPlace({ ...known, chosen: 'hers' })).toEqual({ environment: 'box', cwd: '/deep/in/box' })
})

test('each machine is offered with a folder of its own, and the request names the machine', () => {
  const places = ['local', 'laptop', 'box'].map((name) => placeOn(name, known))
  expect(places.map(requestFor)).toEqual([
    { cwd: '/srv/app', environment: 'local', environmentCwd: '/srv/app' },
    { cwd: '/home/bo/app', environment: 'laptop', environmentCwd: '/home/bo/app' },
    { cwd: '/deep/in/box', environment: 'box', environmentCwd: '/deep/in/box' },
  ])
  expect(requestFor({ environment: 'box', cwd: '' })).toEqual({ cwd: '', environment: 'box' })
})
