import { describe, expect, test } from 'vitest'
import { homeFolder, userFolder } from '../../src/cli/folders.ts'

describe('the folder that conversations are kept in', () => {
  test.each([
    [{ PARLEY_HOME: '/p', HOME: '/h' }, '/p'],
    [{ HOME: '/h' }, '/h/.parley'],
    [{ PARLEY_HOME: '', HOME: '/h' }, '/h/.parley'],
    [{ HOME: '' }, '/account/.parley'],
    [{}, '/account/.parley'],
  ])('with %j is %s', (env, folder) => {
    expect(homeFolder(env, () => '/account')).toBe(folder)
  })

  test('is absolute, wherever the command is typed', () => {
    expect(homeFolder({ PARLEY_HOME: 'state' })).toBe(`${process.cwd()}/state`)
  })

  test('is asked for when there is neither a variable nor an account', () => {
    expect(() => homeFolder({}, () => null)).toThrow('Set PARLEY_HOME')
  })
})

test.each([
  [{ HOME: '/h' }, '/account', '/h'],
  [{ HOME: '' }, '/account', '/account'],
  [{}, null, ''],
])("the user's home with %j and the account's %j is %j", (env, account, folder) => {
  expect(userFolder(env, () => account)).toBe(folder)
})
