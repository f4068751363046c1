import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { expect, test } from 'vitest'
import { readNamedServer } from '../../src/cli/launch-server.ts'

test('a command line names servers, with the token of a file, of a variable or of the home', async () => {
  await using folder = await tempDirectory()
  const pem = '-----BEGIN CERTIFICATE-----\n'
  const files = { 'server-token': 'of home\n', token: 'of file\n', ca: pem }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text)
  const home = folder.path
  const named = (argv: readonly string[], env = {}) => readNamedServer(argv, { env, home })
  const one = ['wss://a:1']
  expect(named(['fix it'])).toBeNull()
  expect(named(['--server', 'wss://a:1', 'fix it'])).toEqual({ urls: one, token: 'of home' })
  expect(named(['exec', '--', '--server', 'wss://a:1'])).toBeNull()
  expect(named(['exec', '--server=wss://a:1, wss://b:2'], { PARLEY_SERVER_TOKEN: ' given ' })).toEqual({
    urls: ['wss://a:1', 'wss://b:2'],
    token: 'given',
  })
  expect(named(['attach', 'wss://a:1', '0a1b', '--token-file', join(home, 'token')])).toMatchObject({
    token: 'of file',
  })
  expect(named(['attach', '--server', 'wss://a:1,wss://b:2'])?.urls).toEqual(['wss://a:1', 'wss://b:2'])
  expect(named(['--server', 'ws://a:1', '--ca-file', join(home, 'ca'), '--allow-unencrypted'])).toEqual({
    urls: ['ws://a:1'],
    token: 'of home',
    ca: pem,
    allowUnencrypted: true,
  })
})

test('a command line that names no usable server is refused in one sentence', async () => {
  await using folder = await tempDirectory()
  const named = (argv: readonly string[]) => readNamedServer(argv, { env: {}, home: folder.path })
  const key = join(folder.path, 'server-token')
  writeFileSync(key, '-----BEGIN PRIVATE KEY-----\n')
  expect(() => readNamedServer(['--server', 'wss://a:1'], { env: {}, home: join(folder.path, 'none') })).toThrow(
    'The server asks for its token',
  )
  const wrong: readonly (readonly [readonly string[], string])[] = [
    [['--server', 'http://a:1'], '--server takes wss://HOST:PORT'],
    [['--server', 'wss://a:1', '--ca-file', key], 'has a private key and no certificate'],
    [['--server', 'wss://a:1', '--token-file', '/none'], 'The file of --token-file cannot be read'],
    [['--server', 'wss://a:1', '--safe'], "--safe is for a server of this command's own"],
    [['exec', '--server', 'wss://a:1', '--record=x'], '--record is for'],
  ]
  for (const [argv, sentence] of wrong) expect(() => named(argv)).toThrow(sentence)
})
