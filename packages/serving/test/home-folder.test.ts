import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { homeFolder } from '../src/home-folder.ts'

test('the home folder is PARLEY_HOME, made absolute', () => {
  expect(homeFolder({ PARLEY_HOME: '/kept', HOME: '/home/ada' })).toBe('/kept')
  expect(homeFolder({ PARLEY_HOME: 'kept', HOME: '/home/ada' })).toBe(resolve('kept'))
})

test('an empty PARLEY_HOME counts as unset', () => {
  expect(homeFolder({ PARLEY_HOME: '', HOME: '/home/ada' })).toBe('/home/ada/.parley')
  expect(homeFolder({ HOME: '/home/ada' })).toBe('/home/ada/.parley')
})
