import { expect, it } from 'vitest'
import { lineOfKey, splitKey } from '../src/toml.ts'

const text = `# model = "no"
model_provider = "x"
model = "m"

[model_providers."my.own"]
  base_url = "u"
[[list]]
[profiles.p]
model = "deep"
'quoted' . key = 1
`

it.each<[string[], number | null]>([
  [['model'], 3],
  [['model_provider'], 2],
  [['model_providers'], 5],
  [['model_providers', 'my.own', 'base_url'], 6],
  [['list'], 7],
  [['profiles', 'p', 'model'], 9],
  [['profiles', 'p', 'quoted', 'key'], 10],
  [['missing'], null],
  [[], null],
])('finds %j on line %j', (path, line) => {
  expect(lineOfKey(text, path)).toBe(line)
})

it.each([
  ['a.b', ['a', 'b']],
  ['a."b.c".d', ['a', 'b.c', 'd']],
  ["'a.b'", ['a.b']],
  ['my model.x', ['my model', 'x']],
])('splits %j', (key, parts) => {
  expect(splitKey(key)).toEqual(parts)
})
